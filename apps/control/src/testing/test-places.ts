import { tmpdir } from "node:os";
import type { NamedPlaces } from "#named-places.ts";

/** What a test makes lies in the temporary folder, outside of the data directory. */
export const testPlaces = (dataDir = "/no/data/directory"): NamedPlaces => ({
  dataDir,
  tokens: [tmpdir()],
  ownKubeconfigs: [],
  kubeconfigs: [tmpdir()],
  pythons: [tmpdir(), "/no/such", "/venv", "/opt/venv"],
});

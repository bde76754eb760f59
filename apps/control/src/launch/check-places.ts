import { AppError } from "@liverl/contract/app-error";
import type { LaunchSpec } from "@liverl/contract/launch";
import { loadKube } from "#kube/load-kube.ts";
import { checkPython, checkTokenFile, checkVenv, type NamedPlaces } from "#named-places.ts";
import { refuseBarred } from "#outgoing.ts";

export interface PlaceFault {
  /** Path of the value in the spec. */
  field: string;
  why: string;
}

/**
 * Values of a spec that name a file, a program or an address which launches may not use. With any, nothing of the spec's
 * target is opened, started or asked.
 */
export function findPlaceFaults(places: NamedPlaces, spec: LaunchSpec): PlaceFault[] {
  if (spec.driver === "embedded") return [];
  if (spec.driver === "local-verl") {
    const { venv, python } = spec.target;
    return [
      ...(venv === null ? [] : faultOf("target.venv", () => checkVenv(places, venv))),
      ...(python === null ? [] : faultOf("target.python", () => checkPython(places, python))),
    ];
  }
  const { runner_url, proxy_url } = spec.target;
  const dataPlane = Object.entries({ runner_url, proxy_url }).flatMap(([name, url]) =>
    url === null ? [] : faultOf(`target.${name}`, () => refuseBarred(url)),
  );
  if (spec.driver === "kuberay")
    return [...dataPlane, ...faultOf("target.kubeconfig", () => loadKube(spec.target, places))];
  const { address, token_path } = spec.target;
  return [
    ...dataPlane,
    ...faultOf("target.address", () => refuseBarred(address)),
    ...(token_path === null
      ? []
      : faultOf("target.token_path", () => checkTokenFile(places, token_path))),
  ];
}

/** Throws FORBIDDEN with the first fault. */
export function refuseUnnamedPlaces(places: NamedPlaces, spec: LaunchSpec): void {
  const [fault] = findPlaceFaults(places, spec);
  if (fault) throw new AppError("FORBIDDEN", { userMessage: `${fault.field}: ${fault.why}` });
}

/** Other kubeconfig errors are reported by the rules that query the cluster. */
function faultOf(field: string, check: () => unknown): PlaceFault[] {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof AppError && error.code === "FORBIDDEN")
      return [{ field, why: error.userMessage }];
    if (error instanceof AppError) return [];
    throw error;
  }
}

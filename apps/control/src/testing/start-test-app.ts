import { buildApp } from "#app.ts";
import { Auth } from "#auth/auth.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";

export const OPERATOR_TOKEN = "t".repeat(43);
export const INGEST_TOKEN = "a1".repeat(20);

export interface TestApp {
  control: TestControl;
  auth: Auth;
  base: string;
  /** Ends the HTTP server and the ingest as a stop of control does, and starts both again on the same port and files. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Control's whole HTTP face on a port of its own. */
export async function startTestApp(): Promise<TestApp> {
  const control = await buildTestContext();
  const auth = new Auth(control.ctx.pool, { operator: OPERATOR_TOKEN, ingest: INGEST_TOKEN });
  let app = buildApp(control.ctx, auth, null);
  const { port } = await app.listen("127.0.0.1", 0);
  return {
    control,
    auth,
    base: `http://127.0.0.1:${port}`,
    restart: async () => {
      await app.close();
      await control.restartIngest();
      app = buildApp(control.ctx, auth, null);
      await app.listen("127.0.0.1", port);
    },
    close: async () => {
      await app.close();
      await control.close();
    },
  };
}

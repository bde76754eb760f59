import { QueryClient } from "@tanstack/react-query";

function status(error: unknown): number | null {
  const data = typeof error === "object" && error !== null && "data" in error ? error.data : null;
  if (typeof data !== "object" || data === null || !("httpStatus" in data)) return null;
  return typeof data.httpStatus === "number" ? data.httpStatus : null;
}

/** Faults of the request (4xx) are final; a server that is away is asked again until it is back. */
export function buildQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 2_000,
        refetchOnWindowFocus: true,
        retry: (failures, error) => {
          const code = status(error);
          return code !== null && code < 500 ? false : failures < 4;
        },
        retryDelay: (attempt) => Math.min(2_000, 250 * 2 ** attempt),
        networkMode: "always",
      },
      mutations: { retry: false, networkMode: "always" },
    },
  });
}

import { EmptyState } from "#ui/empty-state.tsx";
import { Link } from "#ui/link.tsx";

export function NotFoundPage() {
  return (
    <main style={{ height: "100vh", display: "grid" }}>
      <title>No such page · LiveRL</title>
      <EmptyState
        title="There is no such page"
        action={
          <Link className="lnk" href="/">
            All runs
          </Link>
        }
      >
        The address may be from another version.
      </EmptyState>
    </main>
  );
}

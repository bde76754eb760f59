import { When } from "#ui/when.tsx";

/** Says that what is shown is old, and why. Nothing while all is well. */
export function KnownNote({ at, fault }: { at: string | null; fault: string | null }) {
  if (fault === null) return null;
  return (
    <p className="note warn" role="status">
      {fault}
      {at !== null && (
        <>
          {" "}
          This is from <When at={at} />.
        </>
      )}
    </p>
  );
}

import { notFound } from "next/navigation";

/** Every path of a project that no page has: answered with 404 inside the project's frame. */
export default function Page() {
  notFound();
}

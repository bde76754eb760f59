/** A message's role as a heading. */
export function roleName(role: string): string {
  return role === "" ? "Given" : role[0]?.toUpperCase() + role.slice(1);
}

export function Logo() {
  return (
    <svg width="20" height="20" viewBox="0 0 20 20" fill="none" aria-hidden="true">
      <rect x="1" y="1" width="18" height="18" rx="5" fill="var(--ink)" />
      <path
        d="M5 13.5 8.3 9.8l2.7 2L15 6.5"
        stroke="var(--bg)"
        strokeWidth="1.7"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <circle cx="15" cy="6.5" r="1.7" fill="var(--c2)" />
    </svg>
  );
}

const PATHS = {
  updown: "M5 6.5 8 3.500l3 3M5 9.5 8 12.500l3-3",
  runs: "M2 4h12M2 8h9M2 12h6",
  launch: "M8 14V6M4.5 9 8 5.5 11.5 9M3 2.5h10",
  compare: "M5 2v12M11 2v12M2 5h3M11 8h3M2 11h3",
  tasks: "M2.5 2.5h4.5v4.5H2.5zM9 2.5h4.5v4.5H9zM2.5 9h4.5v4.5H2.5zM9 9h4.5v4.5H9z",
  ckpt: "M8 2 14 5 8 8 2 5zM2 8l6 3 6-3M2 11l6 3 6-3",
  cluster: "M2.5 2.5h11v4.5h-11zM2.5 9h11v4.5h-11zM5 4.8h.01M5 11.2h.01",
  alerts:
    "M8 2a4 4 0 0 1 4 4c0 4 1.5 5 1.5 5h-11S4 10 4 6a4 4 0 0 1 4-4zM6.8 13.5a1.3 1.3 0 0 0 2.4 0",
  settings: "M2 5h7M12 5h2M2 11h2M7 11h7M10.5 3.2v3.6M5.5 9.2v3.6",
  search: "M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM10.5 10.5 14 14",
  sun: "M8 5a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1",
  check: "M3 8.5 6.5 12 13 4.5",
  x: "M4 4l8 8M12 4l-8 8",
  bang: "M8 3v6.5M8 12.6v.1",
  chev: "M6 3.5 10.5 8 6 12.5",
  chevd: "M3.5 6 8 10.5 12.5 6",
  chevl: "M10 3.5 5.5 8l4.5 4.5",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  link: "M7 9a2.5 2.5 0 0 0 3.6 0l2.2-2.2a2.5 2.5 0 0 0-3.6-3.6L8 4.4M9 7a2.5 2.5 0 0 0-3.6 0L3.2 9.2a2.5 2.5 0 0 0 3.6 3.6L8 11.6",
  term: "M2 3h12v10H2zM4.5 6 6.5 8l-2 2M8 10h3",
  edit: "M11 2.5 13.5 5 5.5 13H3v-2.5z",
  file: "M4 1.8h5.2L12.5 5v9.2H4zM9 2v3.2h3.3",
  read: "M2 3.5c2-1 4-1 6 .5 2-1.5 4-1.5 6-.5v9c-2-1-4-1-6 .5-2-1.5-4-1.5-6-.5zM8 4v9",
  plus: "M8 3v10M3 8h10",
  dots: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  fork: "M4 2v12M4 9c0-3 8-1 8-5.500M10 5l2-2 2 2",
  play: "M5 3l8 5-8 5z",
  stop: "M4 4h8v8H4z",
  pin: "M5.5 2h5l-.7 4.500L12 9H4l2.2-2.500zM8 9v5",
  cols: "M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10",
  filter: "M2 4h12M4.5 8h7M6.5 12h3",
  ext: "M6 3H3v10h10v-3M9 2.500h4.500V7M13.5 2.5 7.5 8.5",
  flag: "M4 14V2.500h8l-2 3 2 3H4",
  eye: "M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 6.300a1.7 1.7 0 1 1 0 3.4 1.7 1.7 0 0 1 0-3.400z",
  user: "M8 2.500a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.600zM2.8 14c.6-3 2.6-4.3 5.2-4.300s4.6 1.3 5.2 4.3",
  brain: "M8 2.500c3 0 4.5 1.8 4.5 4 0 2.5-2 3-2 5h-5c0-2-2-2.5-2-5 0-2.2 1.5-4 4.5-4zM6 14h4",
  shield: "M8 1.8 13.5 4v4c0 3.5-2.5 5.5-5.5 6.500C5 13.5 2.5 11.5 2.5 8V4z",
  down: "M8 2.500v9M4.5 8.5 8 12l3.5-3.5",
  moon: "M13 9.6A5.6 5.6 0 0 1 6.4 3a5.6 5.6 0 1 0 6.6 6.6z",
  retry: "M13 8a5 5 0 1 1-1.6-3.7M13.5 2v3h-3",
  box: "M8 1.8 13.8 5v6L8 14.2 2.200 11V5zM2.2 5 8 8.200 13.8 5M8 8.200v6",
  pause: "M5 3v10M11 3v10",
  clip: "M11.5 6.5 7 11a2 2 0 0 1-3-3l5-5a3 3 0 0 1 4.3 4.3l-5 5",
} as const;

export type IconName = keyof typeof PATHS;

/** A 16-unit line icon in the colour of the text around it; decorative, so name its control yourself. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      style={{ flex: "none" }}
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

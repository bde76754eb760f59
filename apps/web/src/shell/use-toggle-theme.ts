"use client";
import { useComputedColorScheme, useMantineColorScheme } from "@mantine/core";

/** Switches dark and light; the choice is kept by this browser. */
export function useToggleTheme(): { scheme: "light" | "dark"; toggle: () => void } {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme("light");
  return { scheme, toggle: () => setColorScheme(scheme === "dark" ? "light" : "dark") };
}

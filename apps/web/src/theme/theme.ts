import { type CSSVariablesResolver, createTheme } from "@mantine/core";
import { leaveByTab, nameFirstItem } from "#theme/menu-by-keyboard.ts";

/** Mantine in our type, sizes and colours. The hex values repeat ui/tokens.css, because Mantine derives its shades from them. */
export const theme = createTheme({
  fontFamily: "'Geist Variable', ui-sans-serif, system-ui, sans-serif",
  fontFamilyMonospace: "'Geist Mono Variable', ui-monospace, Menlo, monospace",
  primaryColor: "cobalt",
  primaryShade: { light: 6, dark: 5 },
  autoContrast: true,
  respectReducedMotion: true,
  cursorType: "pointer",
  black: "#15171c",
  white: "#ffffff",
  defaultRadius: "sm",
  fontSizes: { xs: "11px", sm: "12px", md: "13px", lg: "14px", xl: "16px" },
  lineHeights: { xs: "1.4", sm: "1.45", md: "1.45", lg: "1.5", xl: "1.3" },
  spacing: { xs: "4px", sm: "8px", md: "12px", lg: "16px", xl: "24px" },
  radius: { xs: "3px", sm: "5px", md: "7px", lg: "10px", xl: "14px" },
  headings: {
    fontWeight: "600",
    sizes: {
      h1: { fontSize: "16px", lineHeight: "1.3" },
      h2: { fontSize: "15px" },
      h3: { fontSize: "13px" },
    },
  },
  colors: {
    cobalt: [
      "#eaf0fe",
      "#d3e0fd",
      "#b9cdfa",
      "#82aaff",
      "#5d8cf5",
      "#3a6fe8",
      "#2457d6",
      "#1e4bbd",
      "#1b3f9c",
      "#172341",
    ],
    gray: [
      "#f8f9fa",
      "#f3f4f6",
      "#eef0f3",
      "#e5e7eb",
      "#d2d6dd",
      "#9ba2ae",
      "#636a77",
      "#474d59",
      "#2b303a",
      "#15171c",
    ],
    dark: [
      "#eceef2",
      "#b4bac6",
      "#8b92a0",
      "#5f6673",
      "#343942",
      "#23262d",
      "#1a1d22",
      "#121418",
      "#0c0d10",
      "#08090b",
    ],
    green: [
      "#e7f5ee",
      "#cfeadc",
      "#b6dfca",
      "#7ccfa5",
      "#4cc38a",
      "#35a873",
      "#1f9d64",
      "#14764a",
      "#105c3a",
      "#10241b",
    ],
    yellow: [
      "#fdf4e0",
      "#f8e6bf",
      "#f0d69b",
      "#ecc067",
      "#e8ab42",
      "#dc9a26",
      "#d48b07",
      "#8f5a00",
      "#6e4500",
      "#261d0d",
    ],
    red: [
      "#fdeeed",
      "#f9d9d7",
      "#f3c2bf",
      "#ff9d96",
      "#ff7f76",
      "#ee5d54",
      "#d9433c",
      "#bf2f29",
      "#972520",
      "#2a1615",
    ],
  },
  components: {
    Button: {
      defaultProps: { size: "xs", variant: "default" },
      vars: () => ({
        root: { "--button-height": "28px", "--button-padding-x": "10px", "--button-fz": "12.5px" },
      }),
    },
    ActionIcon: { defaultProps: { size: 28, variant: "subtle", color: "gray" } },
    Paper: { defaultProps: { withBorder: true, shadow: "none", radius: "md" } },
    TextInput: { defaultProps: { size: "xs" } },
    // A list opens by a click, an arrow or a letter: one that Tab opened on its way would take the Escape that closes a dialog.
    Select: { defaultProps: { size: "xs", checkIconPosition: "right", openOnFocus: false } },
    MultiSelect: { defaultProps: { size: "xs", openOnFocus: false } },
    Autocomplete: { defaultProps: { size: "xs", openOnFocus: false } },
    NumberInput: { defaultProps: { size: "xs", hideControls: true } },
    SegmentedControl: { defaultProps: { size: "xs", transitionDuration: 0 } },
    Tooltip: {
      defaultProps: { openDelay: 300, withArrow: false, fz: 12, multiline: true, maw: 320 },
    },
    Modal: { defaultProps: { centered: true, radius: "lg", transitionProps: { duration: 150 } } },
    Popover: { defaultProps: { returnFocus: true } },
    // The focus never leaves the field of a list: to give it back would hold it there against Tab.
    Combobox: { defaultProps: { returnFocus: false } },
    // A menu gives its first item the focus: the empty box that would take it instead is no child that a menu may have.
    Menu: {
      defaultProps: {
        ...{ shadow: "none", radius: "md", transitionProps: { duration: 90 } },
        withInitialFocusPlaceholder: false,
        // One that scrolls must have something in it that takes the focus.
        menuItemTabIndex: 0,
      },
    },
    MenuDropdown: { defaultProps: { ref: nameFirstItem, onKeyDown: leaveByTab } },
    Notification: { defaultProps: { closeButtonProps: { "aria-label": "Close" } } },
    Skeleton: { defaultProps: { animate: false } },
  },
});

/** Lets Mantine follow ui/tokens.css, so that one attribute switches both. */
export const cssVariablesResolver: CSSVariablesResolver = () => {
  const shared = {
    "--mantine-color-body": "var(--bg)",
    "--mantine-color-text": "var(--ink)",
    "--mantine-color-dimmed": "var(--ink-3)",
    "--mantine-color-default": "var(--surface)",
    "--mantine-color-default-color": "var(--ink)",
    "--mantine-color-default-border": "var(--line-2)",
    "--mantine-color-default-hover": "var(--hover)",
    "--mantine-color-anchor": "var(--accent)",
    "--mantine-color-error": "var(--bad)",
    "--mantine-color-red-filled": "var(--bad-fill)",
    "--mantine-color-red-filled-hover": "var(--bad-fill-hover)",
    "--mantine-color-placeholder": "var(--ink-3)",
  };
  return { variables: {}, light: shared, dark: shared };
};

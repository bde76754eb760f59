"use client";
import {
  alertsHref,
  clusterHref,
  launchHref,
  runsHref,
  sandboxesHref,
  sessionsHref,
  settingsHref,
  tasksHref,
} from "#shell/links.ts";
import { Logo } from "#shell/logo.tsx";
import { Icon } from "#ui/icon.tsx";
import { Kbd } from "#ui/kbd.tsx";
import { Link } from "#ui/link.tsx";

export type Nav =
  | "runs"
  | "launch"
  | "tasks"
  | "sessions"
  | "cluster"
  | "sandboxes"
  | "alerts"
  | "settings";

export function Rail({
  nav,
  project,
  active,
  alerts,
  onShortcuts,
}: {
  nav: Nav | null;
  project: string;
  /** Number of runs that are active now; null while unknown. */
  active: number | null;
  /** Number of alerts that are open now; null while unknown. */
  alerts: number | null;
  onShortcuts: () => void;
}) {
  return (
    <nav className="rail" aria-label="Main">
      <Link className="brand" href={runsHref(project)} aria-label="LiveRL">
        <Logo />
        <span>LiveRL</span>
      </Link>
      <Link
        className={`nav ${nav === "runs" ? "on" : ""}`}
        href={runsHref(project)}
        aria-current={nav === "runs" ? "page" : undefined}
        title="Runs"
      >
        <Icon name="runs" />
        <span className="lbl">Runs</span>
        {active !== null && active > 0 && (
          <span className="n" title={`${active} active`}>
            {active}
          </span>
        )}
      </Link>
      <Link
        className={`nav ${nav === "launch" ? "on" : ""}`}
        href={launchHref(project)}
        aria-current={nav === "launch" ? "page" : undefined}
        title="Launch"
      >
        <Icon name="launch" />
        <span className="lbl">Launch</span>
      </Link>
      <Link
        className={`nav ${nav === "tasks" ? "on" : ""}`}
        href={tasksHref(project)}
        aria-current={nav === "tasks" ? "page" : undefined}
        title="Tasks over all runs"
      >
        <Icon name="tasks" />
        <span className="lbl">Tasks</span>
      </Link>
      <Link
        className={`nav ${nav === "sessions" ? "on" : ""}`}
        href={sessionsHref(project)}
        aria-current={nav === "sessions" ? "page" : undefined}
        title="Sessions of outside agents"
      >
        <Icon name="fork" />
        <span className="lbl">Sessions</span>
      </Link>
      <Link
        className={`nav ${nav === "cluster" ? "on" : ""}`}
        href={clusterHref(project)}
        aria-current={nav === "cluster" ? "page" : undefined}
        title="Engines, GPUs, Ray, processes"
      >
        <Icon name="cluster" />
        <span className="lbl">Cluster</span>
      </Link>
      <Link
        className={`nav ${nav === "sandboxes" ? "on" : ""}`}
        href={sandboxesHref(project)}
        aria-current={nav === "sandboxes" ? "page" : undefined}
        title="Trials in sandboxes, images, errors"
      >
        <Icon name="box" />
        <span className="lbl">Sandboxes</span>
      </Link>
      <Link
        className={`nav ${nav === "alerts" ? "on" : ""}`}
        href={alertsHref(project)}
        aria-current={nav === "alerts" ? "page" : undefined}
        title="Alerts, rules, receivers"
      >
        <Icon name="alerts" />
        <span className="lbl">Alerts</span>
        {alerts !== null && alerts > 0 && (
          <span className="n alert" title={`${alerts} open`}>
            {alerts}
          </span>
        )}
      </Link>
      <Link
        className={`nav ${nav === "settings" ? "on" : ""}`}
        href={settingsHref(project)}
        aria-current={nav === "settings" ? "page" : undefined}
        title="Thresholds and prices of this project"
      >
        <Icon name="settings" />
        <span className="lbl">Settings</span>
      </Link>
      <div className="foot">
        <button type="button" className="nav" onClick={onShortcuts} title="Keyboard shortcuts">
          <Kbd>?</Kbd>
          <span className="lbl">Shortcuts</span>
        </button>
      </div>
    </nav>
  );
}

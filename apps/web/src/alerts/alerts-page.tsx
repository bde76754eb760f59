"use client";
import styles from "#alerts/alerts.module.css";
import { AlertsPanel } from "#alerts/alerts-panel.tsx";
import { ReceiversPanel } from "#alerts/receivers-panel.tsx";
import { RulesPanel } from "#alerts/rules-panel.tsx";
import { SilencesPanel } from "#alerts/silences-panel.tsx";
import { settingsHref } from "#shell/links.ts";
import { PageFrame } from "#shell/page-frame.tsx";
import { useProject } from "#shell/use-route.ts";
import { Link } from "#ui/link.tsx";

/** What fired, when something fires, who is told, and what is kept quiet. */
export function AlertsPage() {
  const project = useProject();
  return (
    <PageFrame nav="alerts" crumbs={[{ label: "Alerts" }]}>
      <div className={styles.page}>
        <header className={styles.title}>
          <h1>Alerts of {project}</h1>
          <Link className="lnk f12" href={settingsHref(project)}>
            Thresholds of the verdict
          </Link>
        </header>
        <div className={styles.columns}>
          <AlertsPanel project={project} />
          <div className={styles.side}>
            <RulesPanel project={project} />
            <ReceiversPanel project={project} />
            <SilencesPanel project={project} />
          </div>
        </div>
      </div>
    </PageFrame>
  );
}

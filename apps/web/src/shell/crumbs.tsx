"use client";
import { Menu } from "@mantine/core";
import { Fragment } from "react";
import { runsHref } from "#shell/links.ts";
import { Icon } from "#ui/icon.tsx";
import { Link } from "#ui/link.tsx";

/** A step of the path; the last one has no link. */
export type Crumb = { label: string; href?: string };

export function Crumbs({
  project,
  projects,
  crumbs,
}: {
  project: string;
  projects: readonly string[];
  crumbs: readonly Crumb[];
}) {
  return (
    <nav className="crumbs" aria-label="Breadcrumb">
      <ProjectSwitch project={project} projects={projects} />
      {crumbs.map((crumb, index) => (
        <Fragment key={crumb.label}>
          <span className="sl" aria-hidden="true">
            /
          </span>
          {crumb.href === undefined ? (
            <b className="trunc" aria-current={index === crumbs.length - 1 ? "page" : undefined}>
              {crumb.label}
            </b>
          ) : (
            <Link href={crumb.href}>{crumb.label}</Link>
          )}
        </Fragment>
      ))}
    </nav>
  );
}

function ProjectSwitch({ project, projects }: { project: string; projects: readonly string[] }) {
  const others = [...new Set([project, ...projects])].sort();
  if (others.length < 2) return <Link href={runsHref(project)}>{project}</Link>;
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <button type="button" className="crumb-switch" title="Switch project">
          {project}
          <Icon name="updown" size={12} />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {others.map((name) => (
          <Menu.Item
            key={name}
            component={Link}
            href={runsHref(name)}
            rightSection={name === project ? <Icon name="check" size={13} /> : undefined}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

import { QuernDashboard } from "@quern/react";
import type { DashboardPage } from "./panel.ts";
import { PanelCard } from "./panel-card.tsx";

export function App({ page: { title, sections } }: { readonly page: DashboardPage }) {
  return (
    <QuernDashboard>
      <header className="masthead">
        <h1>{title}</h1>
        <p>Every panel is one SQL query. Panels in view load first.</p>
        <nav aria-label="Sections">
          {sections.map(({ id, title }) => (
            <a key={id} href={`#${id}`}>
              {title}
            </a>
          ))}
        </nav>
      </header>
      <main>
        {sections.map(({ id, title, note, figures, panels }) => (
          <section key={id} id={id} aria-labelledby={`${id}-title`}>
            <h2 id={`${id}-title`}>{title}</h2>
            <p className="note">{note}</p>
            {figures && (
              <div className="grid figures">
                {figures.map((panel) => (
                  <PanelCard key={panel.title} panel={panel} />
                ))}
              </div>
            )}
            <div className="grid">
              {panels.map((panel) => (
                <PanelCard key={panel.title} panel={panel} />
              ))}
            </div>
          </section>
        ))}
      </main>
    </QuernDashboard>
  );
}

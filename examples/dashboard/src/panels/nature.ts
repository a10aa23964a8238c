import type { Section } from "../panel.ts";

export const nature: Section = {
  id: "nature",
  title: "Nature",
  note: "Penguins at Palmer Station, birds that met aircraft, and disasters.",
  panels: [
    {
      title: "Penguins by beak and flipper",
      unit: "mm",
      sql: `select beak_length_mm, flipper_length_mm, species from penguins
where beak_length_mm is not null order by species, beak_length_mm, flipper_length_mm`,
      view: { kind: "points", x: "beak_length_mm", y: "flipper_length_mm", series: "species" },
    },
    {
      title: "Deaths by disaster",
      unit: "deaths by decade, all kinds",
      sql: `select concat(year // 10 * 10, 's') as decade, sum(deaths)::bigint as deaths
from disasters where kind <> 'All natural disasters' group by decade order by decade`,
      view: { kind: "columns", x: "decade", y: "deaths" },
    },
    {
      title: "When birds are struck",
      unit: "strikes by phase of flight",
      sql: "select phase, count(*) as strikes from birdstrikes where phase is not null group by phase order by strikes desc limit 7",
      view: { kind: "bars", x: "phase", y: "strikes" },
    },
    {
      title: "Costliest species",
      unit: "strikes; US dollars",
      sql: `select species, count(*) as strikes, sum(cost)::double as dollars
from birdstrikes group by species order by dollars desc limit 20`,
      view: { kind: "table" },
    },
  ],
};

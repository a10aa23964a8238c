import type { Section } from "../panel.ts";

export const films: Section = {
  id: "films",
  title: "Films",
  note: "Three thousand films with their ratings and takings.",
  panels: [
    {
      title: "Takings by genre",
      unit: "US dollars, median of the world",
      sql: `select genre, median(worldwide_gross) as dollars from movies
where genre is not null group by genre having count(*) > 20 order by dollars desc limit 9`,
      view: { kind: "bars", x: "genre", y: "dollars" },
    },
    {
      title: "Budget and takings",
      unit: "US dollars",
      sql: `select budget, worldwide_gross from movies
where budget > 1e6 and worldwide_gross > 0 and imdb_votes > 50000 order by title, budget`,
      view: { kind: "points", x: "budget", y: "worldwide_gross" },
    },
    {
      title: "Films a year",
      unit: "films by year of release",
      sql: `select year(release_date) as year, count(*) as films from movies
where year(release_date) between 1970 and 2010 group by 1 order by 1`,
      view: { kind: "columns", x: "year", y: "films" },
    },
    {
      title: "Best of critics and audience",
      unit: "% of critics; audience out of ten",
      sql: `select title, rotten_tomatoes_rating as critics, imdb_rating as audience from movies
where imdb_votes > 50000 and rotten_tomatoes_rating is not null order by critics + 10 * audience desc, title limit 20`,
      view: { kind: "table" },
    },
  ],
};

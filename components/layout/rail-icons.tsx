import type { ReactNode } from 'react'

/** The icons of the areas of the console, by the area's path; shapes for `Glyph`. Each area also has its word. */
export const RAIL_ICONS: Readonly<Record<string, ReactNode>> = {
  '': <path d="M2.5 7.25 8 2.5l5.5 4.75M4 6.5v7h8v-7M6.75 13.5V9.5h2.5v4" />,
  approvals: <path d="M2.5 2.5h11v11h-11zm3 5.5 2 2 3.25-3.75" />,
  executions: <path d="M4.5 2.75v10.5L12.75 8z" strokeLinejoin="round" />,
  traces: <path d="M2.5 3.5h6m-3.5 3h6m-3.5 3h4m-1 3h3" strokeWidth="2" strokeLinecap="butt" />,
  evidence: <path d="M8 1.75 13.4 4.9v6.2L8 14.25 2.6 11.1V4.9zM5.75 6.75h4.5m-4.5 2.5h4.5" />,
  audit: <path d="M3.5 2.5h9.5v11H3.5zm2.5 0v11m2.25-8h2.5m-2.5 2.5h2.5M2.25 5h1m-1 3h1m-1 3h1" />,
  agents: <path d="M3 5.5h10v7H3zM8 2.25V5.5M6 8.25v1.25m4-1.25v1.25M1.5 8v2m13-2v2" />,
  policies: <path d="M8 1.75 13 3.5v4.25c0 3-2 5.25-5 6.5-3-1.25-5-3.5-5-6.5V3.5zM5.75 8l1.75 1.75L10.5 6.5" />,
  access: (
    <>
      <circle cx="4.75" cy="8" r="2.75" />
      <path d="M7.5 8h6.25v2.75M11 8v2" />
    </>
  ),
  privacy: (
    <>
      <path d="M1.75 8S4 3.75 8 3.75 14.25 8 14.25 8 12 12.25 8 12.25 1.75 8 1.75 8z" strokeLinejoin="round" />
      <path d="m3 13.5 10-11" />
    </>
  ),
  settings: (
    <>
      <path d="M2 4.5h6.5m3.5 0h2M2 11.5h2m3.5 0H14" />
      <circle cx="10.25" cy="4.5" r="1.75" />
      <circle cx="5.75" cy="11.5" r="1.75" />
    </>
  ),
}

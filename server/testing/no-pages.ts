import type { OpenPages } from '#server/console.ts'

/** For suites that call the API only: no console has to be built. */
export const noPages: OpenPages = () => ({
  request: (_req, res) => res.writeHead(404).end(),
  upgrade: () => 404,
})

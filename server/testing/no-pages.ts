import type { OpenPages } from '#server/console.ts'

/** For suites that only call the API, so that they don't need a build of the console. */
export const noPages: OpenPages = () => ({
  request: (_req, res) => res.writeHead(404).end(),
  upgrade: () => 404,
})

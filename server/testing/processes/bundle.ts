import { fileURLToPath } from 'node:url'
import { buildServer } from '../../../cli/build-server.mjs'

let bundle: Promise<string> | undefined

/**
 * The program that tests start as the API, bundled like the server of `npm start`. A start from the sources needs twice the
 * processor time. Bundled once for all suites, until a source changes.
 */
export function apiProgram(): Promise<string> {
  bundle ??= buildServer({ entry: 'server/testing/processes/api-process.ts', name: 'api-process' }).then(fileURLToPath)
  return bundle
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { Config } from '#server/kernel/config.ts'
import type { Log } from '#server/kernel/log.ts'
import packageJson from '../package.json' with { type: 'json' }
import type { Routes } from './http.ts'
import { withCommandLine } from './shell/command-line.ts'
import { createCspReportHandler } from './shell/csp-report.ts'
import { loadConsole } from './shell/load-build.ts'
import { createShell } from './shell.ts'

const ownBuild = join(import.meta.dirname, '..', '.next', 'console')
const ownCommandLine = join(import.meta.dirname, '..', 'dist', 'countersign.mjs')

/** All routes outside `/v1` and `/realms`. */
export type Pages = Routes
export type OpenPages = (config: Config, log: Log) => Pages

/** The console that was built into `folder`, and the command line. Throws if the console has not been built. */
export const openConsole: (folder?: string, commandLine?: string) => OpenPages =
  (folder = ownBuild, commandLine = ownCommandLine) =>
  (config, log) => {
    const shell = createShell({ build: withCommandLine(loadConsole(folder), commandLine), ...shellSettings(config) })
    const reports = createCspReportHandler({
      onReport: (report) => log.warn({ report }, 'the browser reported a policy violation'),
      https: config.baseUrl.startsWith('https:'),
    })
    return {
      request: async (req: IncomingMessage, res: ServerResponse) => {
        try {
          if (!(await reports(req, res))) await shell(req, res)
        } catch (error) {
          log.error({ err: error, path: req.url }, 'a page failed')
          if (res.headersSent) res.destroy()
          else
            res
              .writeHead(500, { 'content-type': 'text/plain; charset=utf-8' })
              .end('Something went wrong. Try again in a moment.')
        }
      },
      upgrade: () => 404,
    }
  }

/** The settings of the pages that follow from the server's settings. */
export function shellSettings(config: Config) {
  const authOrigin = new URL(config.authUrl).origin
  return {
    config: {
      authUrl: config.authUrl,
      version: packageJson.version,
      ...(config.identity === 'embedded' ? { passwords: true as const } : {}),
    },
    connectOrigins: authOrigin === new URL(config.baseUrl).origin ? [] : [authOrigin],
    https: config.baseUrl.startsWith('https:'),
  }
}

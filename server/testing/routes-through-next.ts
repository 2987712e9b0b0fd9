import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { migrate } from '#server/kernel/db/migrate.ts'
import type { TestApi } from './api.ts'
import { freePort } from './free-port.ts'
import { answerOf } from './processes/answer-of.ts'
import { testEnvironment } from './processes/environment.ts'
import { copyProject, projectRoot } from './project-copy.ts'
import { until } from './until.ts'

const next = join(projectRoot, 'node_modules/next/dist/bin/next')
const settings = {
  pageExtensions: ['ts'],
  // The package reads its WebAssembly from a file next to its module, which a bundle does not contain.
  serverExternalPackages: ['@cedar-policy/cedar-wasm'],
}

export type ThroughNext = { address: string; process: ChildProcess; folder: string; close(): Promise<void> }

/**
 * Has Next build a copy of app/v1, and serve it in a process of its own on the database and with the keys of `api`. The copy has a further
 * route that sets the runtime. `environment`: further variables of that process.
 */
export async function serveRoutesThroughNext(
  api: TestApi,
  environment: Record<string, string> = {},
): Promise<ThroughNext> {
  const project = copyProject(['app/v1', 'app/tokens.css', 'lib', 'server'], settings)
  const { folder } = project
  let server: ChildProcess | undefined
  const close = async () => {
    if (server?.kill('SIGTERM')) await once(server, 'exit')
    project.remove()
  }
  try {
    mkdirSync(join(folder, 'app/runtime'))
    cpSync(join(import.meta.dirname, 'runtime-route.ts'), join(folder, 'app/runtime/route.ts'))
    const port = await freePort()
    const address = `http://127.0.0.1:${port}`
    const env: NodeJS.ProcessEnv = {
      ...testEnvironment,
      NODE_ENV: 'production',
      NEXT_TELEMETRY_DISABLED: '1',
      RATE_LIMIT_PER_MINUTE: '1000000',
      APP_URL: await migrate(api.ownerUrl),
      // The master key of the server.
      DATA_DIR: join(dirname(api.gate), 'data'),
      BASE_URL: api.baseUrl,
      AUTH_URL: api.baseUrl,
      ...environment,
    }
    await promisify(execFile)(process.execPath, [next, 'build'], { cwd: folder, env, maxBuffer: 10_000_000 })
    const started = spawn(process.execPath, [next, 'start', '--port', String(port)], {
      cwd: folder,
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    server = started
    await until(() => answerOf(started, `${address}/v1/health/live`), 'Next answered', 60_000)
    const { status } = await fetch(`${address}/runtime`, { method: 'POST' })
    if (status !== 204) throw new Error(`The routes did not get a runtime: ${status}.`)
    return { address, process: started, folder, close }
  } catch (error) {
    await close()
    throw error
  }
}

// `npm run dev`: the server, restarted when one of its files changes, with `next dev` behind it for the pages. Must parse on Node 20.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, watch } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { readArguments } from './arguments/read-arguments.mjs'
import { continueOnPinnedNode } from './pinned-node.mjs'

readArguments(`npm run dev

Starts the server for development: restarted when one of its files changes, with pages that are built as they are opened.`)
await continueOnPinnedNode()
const root = join(import.meta.dirname, '..')
// Settings may be in .env (see .env.example); the environment takes precedence.
if (existsSync('.env')) process.loadEnvFile('.env')

/** The folders of the server's sources. `next dev` watches pages and components. */
const SERVER_FOLDERS = ['server', 'lib', 'app/v1']
/** An editor writes a file in several steps. */
const SETTLED_MS = 100

const pagesPort = await freePort()
// A restart after a change must not wait for calls that run.
const env = { DRAIN_SECONDS: '2', ...process.env, NODE_ENV: 'development', NEXT_TELEMETRY_DISABLED: '1' }
const run = (...args) => spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] })
const next = join(root, 'node_modules', 'next', 'dist', 'bin', 'next')
const pages = run(next, 'dev', '--hostname', '127.0.0.1', '--port', String(pagesPort))
const startServer = () => run(join(root, 'server', 'dev.ts'), `http://127.0.0.1:${pagesPort}`)

let server = startServer()
let stopping = false
let restarting = Promise.resolve()
/** Runs one server at a time: the port and the database are free once the previous one has ended. */
function restart(file) {
  restarting = restarting.then(async () => {
    if (stopping) return
    process.stdout.write(`${file} has changed. Restarting the server…\n`)
    await end(server)
    if (!stopping) server = startServer()
  })
}

let settled
for (const folder of SERVER_FOLDERS)
  watch(join(root, folder), { recursive: true }, (_event, file) => {
    if (file === null || !/\.(ts|sql|json)$/.test(file) || /\.test\.ts$/.test(file)) return
    clearTimeout(settled)
    settled = setTimeout(restart, SETTLED_MS, join(folder, file))
  })

async function stop(code) {
  if (stopping) return
  stopping = true
  await restarting
  await Promise.all([end(server), end(pages)])
  process.exit(code)
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(0))
// After a server ends by itself, the next change restarts it; without `next dev`, this process ends.
pages.on('exit', () => stop(1))

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address()
  probe.close()
  await once(probe, 'close')
  return port
}

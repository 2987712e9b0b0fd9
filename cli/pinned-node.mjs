// Must parse on Node 20, because it runs before the pinned Node.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const OLDEST_MAJOR = 24
const FORWARDED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']

/**
 * Returns if this process runs with these settings (variables set to any value, and options of Node) on the Node that the
 * project pins or, if none is available for this platform, on one that is new enough. Otherwise runs the same command with
 * the settings on the pinned Node and ends with its exit code or signal.
 */
export async function continueOnPinnedNode(settings = { environment: {}, options: [] }) {
  const pinned = pinnedNode()
  const here = realpathSync(process.execPath)
  if (pinned && here !== pinned) await relaunch(pinned, settings)
  else if (!isUnder(settings)) await startOver(here, settings)
  if (Number.parseInt(process.versions.node, 10) < OLDEST_MAJOR) {
    process.stderr.write(
      `Countersign needs Node ${OLDEST_MAJOR} or newer, but this is ${process.version}. Run npm ci without omitting optional packages, or install Node ${OLDEST_MAJOR}.\n`,
    )
    process.exit(1)
  }
  followLauncher()
}

/** Real path of the executable in `node-<platform>-<arch>`, or undefined if npm installed none. */
function pinnedNode() {
  try {
    const manifest = createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/package.json`)
    const executable = join(dirname(manifest), 'bin', 'node')
    return existsSync(executable) ? realpathSync(executable) : undefined
  } catch (error) {
    if (error.code === 'MODULE_NOT_FOUND') return undefined
    throw error
  }
}

const isUnder = ({ environment, options }) =>
  Object.keys(environment).every((name) => process.env[name] !== undefined) &&
  options.every((option) => process.execArgv.includes(option))

const argumentsWith = (options) => [
  ...process.execArgv.filter((one) => !options.includes(one)),
  ...options,
  ...process.argv.slice(1),
]

/** Replaces this process, so that no launcher stays. If that is impossible, a child process does the work. */
async function startOver(node, settings) {
  const { environment, options } = settings
  if (process.execve && !process.channel)
    process.execve(node, [node, ...argumentsWith(options)], { ...environment, ...process.env })
  await relaunch(node, settings)
}

/** Returns only if `node` does not run on this system. */
async function relaunch(node, { environment, options }) {
  // In a separate session, so that Ctrl-C reaches the child once, through here, and not from the terminal as well.
  const child = spawn(node, argumentsWith(options), {
    env: { ...environment, ...process.env },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    detached: true,
  })
  const forward = (signal) => child.kill(signal)
  for (const signal of FORWARDED_SIGNALS) process.on(signal, forward)
  const [code, signal] = await once(child, 'exit').catch(() => [])
  for (const name of FORWARDED_SIGNALS) process.off(name, forward)
  if (typeof code === 'number') process.exit(code)
  if (signal) {
    process.kill(process.pid, signal)
    // The signal arrives after this turn of the event loop; nothing else may run before it.
    await new Promise(() => setInterval(() => undefined, 1_000))
  }
}

/** In the child: a killed launcher can't forward signals, so its end counts as a request to stop. */
function followLauncher() {
  if (!process.channel) return
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  process.channel.unref()
}

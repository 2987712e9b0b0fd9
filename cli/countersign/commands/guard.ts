import { canonicalJson } from '#lib/jcs.ts'
import { visible } from '#lib/verify/programs/visible.ts'
import { Failed, usageError } from '../failure.ts'
import { commonFlags, parse, textOf } from '../flags.ts'
import { decide, type Verdict } from '../guard/decide.ts'
import { denial, type Host, type HostCall, hosts, permission, readCall } from '../guard/hosts.ts'
import type { Output } from '../output.ts'
import { openSession } from '../session.ts'
import { type Command, type Context, commonUsage } from './command.ts'

/** The exit code that Claude Code, Codex and Cursor all read as a denial. They let the call run after most others. */
export const denied = 2
const defaultWaitSeconds = 50
/** For everything but waiting for people: the token, the decision, the answer. */
const callsMs = 8_000
const longestReason = 4_000
const largestInput = 4 * 1024 * 1024

const guardFlags = {
  agent: { type: 'string' },
  environment: { type: 'string' },
  wait: { type: 'string' },
  server: { type: 'string' },
  host: { type: 'string' },
} as const

/**
 * The hook of a coding agent. Whatever happens is a denial, with the host's own answer and with the exit code `denied`, except a
 * permission that the server has recorded. `main.ts` sets that exit code before anything can fail.
 */
export const guard: Command = {
  name: 'guard',
  summary: 'Decide a call of a coding agent: the hook of Claude Code, Codex or Cursor',
  usage: `countersign guard --agent <name or id> [--environment production] [--wait 50s] [--server local] [--host <host>]

  --agent <name or id>   the agent whose release and policies decide; the id saves a call
  --environment <name>   production by default
  --wait <time>          how long to wait for people, such as 50s, 5m or 0s; the time-out of the hook must be 10 s longer
  --server <name>        the server of the tools in the release; local by default
  --host <host>          ${hosts.join(', ')}; by default recognised by the input

Reads the hook’s input, and writes its decision. Everything except a recorded permission is a denial. docs/examples/coding-agent
shows how to configure the hook so that the host denies the call when the program can’t run.
${commonUsage}`,
  flags: guardFlags,
  choices: { host: hosts },
  async run(context) {
    let call: HostCall | undefined
    try {
      const { wait, ...asked } = settingsOf(context)
      const late = lateAfter(wait + callsMs)
      const verdict = await Promise.race([
        late,
        (async () => {
          call = readCall(await standardInput(), asked.host)
          return permitted(
            call,
            await decide(
              openSession(asked.values, context.environment),
              context.environment,
              {
                agent: asked.agent,
                environment: asked.environment,
                resource: `${asked.server}/${call.tool}`,
                arguments: call.arguments,
              },
              Date.now() + wait,
            ),
            call.arguments,
          )
        })(),
      ])
      if (typeof verdict === 'string') return await allow(context.output, verdict)
      return await deny(context.output, call, verdict.reason)
    } catch (error) {
      return await deny(context.output, call, error instanceof Error ? error.message : String(error))
    }
  },
}

function settingsOf({ args }: Context) {
  const { values, positionals } = parse(args, { ...commonFlags, ...guardFlags })
  if (positionals.length > 0) throw usageError(`Unexpected argument: ${positionals.join(' ')}.`)
  const agent = textOf(values, 'agent')
  if (agent === undefined) throw usageError('Name the agent: --agent <name or id>.')
  const host = textOf(values, 'host')
  if (host !== undefined && !hosts.some((known) => known === host))
    throw usageError(`--host: ${JSON.stringify(host)}. Must be one of ${hosts.join(', ')}.`)
  return {
    values,
    agent,
    environment: textOf(values, 'environment') ?? 'production',
    server: textOf(values, 'server') ?? 'local',
    host: host as Host | undefined,
    wait: waitOf(textOf(values, 'wait') ?? `${defaultWaitSeconds}s`),
  }
}

function waitOf(text: string): number {
  const [, number, unit] = /^(\d{1,4})(s|m)$/.exec(text) ?? []
  if (number === undefined) throw usageError(`--wait: ${JSON.stringify(text)}. Must be a time such as 50s or 5m.`)
  return Number(number) * (unit === 'm' ? 60_000 : 1_000)
}

/** A server that accepts a call and never answers must not outlast the host’s patience, which could let the call run. */
const lateAfter = (ms: number): Promise<Verdict & { allowed: false }> =>
  new Promise((resolve) => {
    setTimeout(() => resolve({ allowed: false, reason: 'Countersign did not answer in time.' }), ms).unref()
  })

async function standardInput(): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of process.stdin) {
    size += chunk.length
    if (size > largestInput) throw new Failed('refused', 'The hook’s input is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** The host’s words for a permission, or why there is none. */
function permitted(
  call: HostCall,
  verdict: Verdict,
  requested: HostCall['arguments'],
): string | (Verdict & { allowed: false }) {
  if (!verdict.allowed) return verdict
  const changed = canonicalJson(verdict.arguments) === canonicalJson(requested) ? undefined : verdict.arguments
  if (changed !== undefined && call.host !== 'claude-code')
    return {
      allowed: false,
      reason: 'The policy masks arguments of this call, and this host can’t replace them. Leave out what is masked.',
    }
  return permission(call, changed)
}

/** The exit code is 0 only once the host has the permission. */
async function allow({ out }: Output, words: string): Promise<number> {
  if (words !== '') out(`${words}\n`)
  await flushed()
  return 0
}

async function deny(output: Output, call: HostCall | undefined, reason: string): Promise<number> {
  const text = `Countersign denied this call: ${reason.slice(0, longestReason)}`
  output.error(`${visible(text)}\n`)
  output.out(`${denial(call, text)}\n`)
  await flushed()
  return denied
}

/** `main.ts` then ends the process, which a call in progress would keep alive. */
const flushed = () => new Promise<void>((resolve) => process.stdout.write('', () => resolve()))

import { createHash } from 'node:crypto'
import { createReadStream, statSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { setTimeout } from 'node:timers/promises'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import { notOfCountersign } from '../answer.ts'
import { operationNamed } from '../catalog.ts'
import { download, outFlags, outOf } from '../download.ts'
import { Failed, usageError } from '../failure.ts'
import { commonFlags, type Flag, flagsOf, inputFrom, optionsOf, parse, type Values } from '../flags.ts'
import { type Output, print } from '../output.ts'
import { ask } from '../request.ts'
import { patiently } from '../retry.ts'
import { openSession, type Session } from '../session.ts'
import { type Command, type Context, commonUsage } from './command.ts'
import { outsideFlags, outsideOf, outsideUsage, verify } from './verify.ts'

const createFlags = {
  ...outsideFlags,
  json: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  wait: { type: 'boolean' },
  ...outFlags,
} as const

export const evidenceCreate: Command = {
  name: 'evidence create',
  summary: 'Create an evidence export; with --wait or --out until it is complete, downloaded and verified',
  usage: `countersign evidence create --from <time> --to <time> [--wait] [--out <zip> [--overwrite]] [--scope <json>]
       [--purpose <text>]
${commonUsage}
${outsideUsage}`,
  flags: createFlags,
  operation: 'evidence.createExport',
  run: create,
}

async function create({ args, environment, output }: Context): Promise<number | undefined> {
  const operation = operationNamed('evidence.createExport')
  const fields = flagsOf(operation)
  const { values, positionals } = parse(args, { ...commonFlags, ...optionsOf(fields), ...createFlags })
  if (positionals.length > 0) throw usageError(`Unexpected argument: ${positionals.join(' ')}.`)
  const flags = fields.map((flag) => periodFlag(flag, values))
  const given: Record<string, Values[string]> = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, periodNames.has(name) ? withTime(value) : value]),
  )
  if (given['include-proofs'] === undefined && given['no-include-proofs'] === undefined) given['include-proofs'] = true
  const input = inputFrom(flags, operation.input, given)
  const out = outOf(values)
  const session = openSession(values, environment)
  // Read before an export is created, because wrong arguments must not create one.
  const outside = out === undefined ? undefined : await outsideOf({ ...values, url: session.url }, environment)
  const made = await ask(session, operation, input)
  if (values.wait !== true && out === undefined) {
    print(output, made)
    return undefined
  }
  const job = await completed(session, made, output)
  if (out === undefined || outside === undefined) {
    print(output, job)
    return undefined
  }
  await archiveOf(session, job, out, output)
  return await verify(out, outside, output)
}

const periodNames = new Set(['from', 'to', 'start-date', 'end-date'])

/** The flag of a limit of the period, as it was typed or, if it was not, as it should be. */
function periodFlag(flag: Flag, values: Values): Flag {
  const short = { startDate: 'from', endDate: 'to' }[flag.field]
  if (short === undefined) return flag
  const accepts = 'a day such as 2026-01-31, or a time such as 2026-01-31T12:00:00Z'
  return { ...flag, name: values[flag.name] === undefined ? short : flag.name, accepts }
}

/** A day without a time is its beginning in UTC. */
const withTime = (given: Values[string]): Values[string] =>
  typeof given === 'string' && /^\d{4}-\d\d-\d\d$/.test(given) ? `${given}T00:00:00Z` : given

const pollMs = 1_000
const ended = ['completed', 'completed_with_omissions', 'failed', 'canceled']

/** Polls a job until it ends or its time-out passes. Throws for one without an archive. */
async function completed(session: Session, made: JsonValue, output: Output): Promise<JsonObject> {
  const { exportId, pollTimeoutMs } = isJsonObject(made) ? made : {}
  if (typeof exportId !== 'string') throw notOfCountersign('it is not an export')
  output.error(`Export ${exportId}\n`)
  const until = Date.now() + Number(pollTimeoutMs)
  for (;;) {
    const job = await patiently(() => ask(session, operationNamed('evidence.getExport'), { exportId }))
    if (!isJsonObject(job) || typeof job.status !== 'string') throw notOfCountersign('it is not an export')
    if (output.isTerminal) output.error(`\r\u001b[K${progressOf(job)}`)
    if (ended.includes(String(job.status))) {
      if (output.isTerminal) output.error('\n')
      if (String(job.status).startsWith('completed')) return job
      const reason = isJsonObject(job.error) ? `: ${job.error.message}` : ''
      throw new Failed('refused', `The export is ${job.status}${reason}.`, { code: String(job.status), exportId })
    }
    if (Date.now() > until)
      throw new Failed(
        'unreachable',
        `The export is still ${job.status}. Continue with countersign evidence get-export --export-id ${exportId}.`,
        { code: 'timeout', exportId },
      )
    await setTimeout(pollMs)
  }
}

const barWidth = 24

/** The state of an export in a line, with a bar as soon as the total is known. */
export function progressOf({ status, progress }: JsonObject): string {
  if (!isJsonObject(progress)) return String(status)
  const { stage, unit, done, total } = progress
  const share = typeof total === 'number' && total > 0 ? Math.min(1, Number(done) / total) : undefined
  const bar = share === undefined ? '' : ` ${'█'.repeat(Math.round(share * barWidth)).padEnd(barWidth, '░')}`
  return `${stage}${bar} ${done}${total === null ? '' : `/${total}`} ${unit}`
}

/** Downloads an archive, and compares its digest with the job's. */
async function archiveOf(session: Session, job: JsonObject, out: string, output: Output): Promise<void> {
  await download(
    session,
    operationNamed('evidence.download'),
    { exportId: job.exportId ?? null },
    {
      out,
      output,
      bytes: Number(job.archiveBytes),
      async check(part) {
        const hash = createHash('sha256')
        await pipeline(createReadStream(part), hash)
        const digest = hash.digest('hex')
        if (typeof job.sha256 === 'string' && job.sha256 !== digest)
          throw new Failed('different', `The downloaded archive has the digest ${digest}, not ${job.sha256}.`, {
            code: 'different',
          })
        output.error(`${out}: ${statSync(part).size} bytes, sha256:${digest}\n`)
      },
    },
  )
}

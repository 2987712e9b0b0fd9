import { createHash } from 'node:crypto'
import { createReadStream, readFileSync, statSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { setTimeout } from 'node:timers/promises'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import { wordsOf } from '#lib/verify/fingerprint/words.ts'
import { type OpenFile, openFile } from '#lib/verify/programs/file.ts'
import { visible } from '#lib/verify/programs/visible.ts'
import { type About, type Report, verdictNames } from '#lib/verify/report.ts'
import { type Outside, verifyArchive } from '#lib/verify/verify.ts'
import { aboutLines, conclusionOf, keyLines, questions } from '#lib/verify/words.ts'
import { operationNamed } from '../catalog.ts'
import { download, outFlags, outOf } from '../download.ts'
import { exitCodes, Failed, usageError } from '../failure.ts'
import { commonFlags, contentOf, flagsOf, inputFrom, jsonOf, optionsOf, parse, textOf, type Values } from '../flags.ts'
import { type Output, print } from '../output.ts'
import { ask } from '../request.ts'
import { patiently } from '../retry.ts'
import { openSession, type Session, send, urlOf } from '../session.ts'
import { type Command, type Context, commonUsage, type Environment } from './command.ts'

const outsideFlags = {
  key: { type: 'string' },
  keys: { type: 'string' },
  previous: { type: 'string' },
  tsa: { type: 'string' },
  witness: { type: 'string', multiple: true },
} as const
const outsideUsage = `  --key <fingerprint>    the service’s key as you know it: 64 hexadecimal digits, or its twelve words in quotation marks
  --keys <file>          the service’s log-keys.json; by default it is fetched from --url or COUNTERSIGN_URL
  --previous <zip>       the archive made directly before or after this one
  --tsa <pem>            the certificate of the time-stamping authority
  --witness <key>        the key of a witness as you know it: name+id+base64; may be given several times`

export const evidenceCreate: Command = {
  name: 'evidence create',
  summary: 'Create an evidence export; with --wait or --out until it is complete, downloaded and verified',
  usage: `countersign evidence create --from <time> --to <time> [--wait] [--out <zip> [--overwrite]] [--scope <json>]
       [--purpose <text>]
${commonUsage}
${outsideUsage}`,
  run: create,
}

export const evidenceVerify: Command = {
  name: 'evidence verify',
  summary: 'Verify an archive',
  usage: `countersign evidence verify <zip> [--key <fingerprint or words>] [--previous <zip>] [--tsa <pem>] [--witness <key>]

Prints whose archive it is and what it says of itself, then each verdict.

Exit code 0 only if all five verdicts hold, 5 if one fails or could not be checked.
${commonUsage}
${outsideUsage}`,
  async run({ args, environment, output }) {
    const { values, positionals } = parse(args, { ...commonFlags, ...outsideFlags })
    const [path] = positionals
    if (path === undefined || positionals.length > 1) throw usageError('Name one archive.')
    return await verify(path, values, environment, output)
  },
}

async function create({ args, environment, output }: Context): Promise<number | undefined> {
  const operation = operationNamed('evidence.createExport')
  const fields = flagsOf(operation)
  const { values, positionals } = parse(args, {
    ...commonFlags,
    ...optionsOf(fields),
    ...outsideFlags,
    json: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
    wait: { type: 'boolean' },
    ...outFlags,
  })
  if (positionals.length > 0) throw usageError(`Unexpected argument: ${positionals.join(' ')}.`)
  const given = { ...values, ...timeOf(values, 'from', 'start-date'), ...timeOf(values, 'to', 'end-date') }
  if (given['include-proofs'] === undefined && given['no-include-proofs'] === undefined) given['include-proofs'] = true
  const input = inputFrom(fields, operation.input, given)
  const out = outOf(values)
  const session = openSession(values, environment)
  const made = await ask(session, operation, input)
  if (values.wait !== true && out === undefined) {
    print(output, made)
    return undefined
  }
  const job = await completed(session, made, output)
  if (out === undefined) {
    print(output, job)
    return undefined
  }
  await archiveOf(session, job, out, output)
  return await verify(out, { ...values, url: session.url }, environment, output)
}

/** A day without a time is its beginning in UTC. */
function timeOf(values: Values, name: string, flag: string): Values {
  const given = textOf(values, name)
  if (given === undefined) return {}
  return { [flag]: /^\d{4}-\d\d-\d\d$/.test(given) ? `${given}T00:00:00Z` : given }
}

const pollMs = 1_000
const ended = ['completed', 'completed_with_omissions', 'failed', 'canceled']

/** Polls a job until it ends or its time-out passes. Throws for one without an archive. */
async function completed(session: Session, made: JsonValue, output: Output): Promise<JsonObject> {
  const { exportId = null, pollTimeoutMs } = isJsonObject(made) ? made : {}
  output.error(`Export ${exportId}\n`)
  const until = Date.now() + Number(pollTimeoutMs)
  for (;;) {
    const job = await patiently(() => ask(session, operationNamed('evidence.getExport'), { exportId }))
    if (!isJsonObject(job)) throw new Failed('unreachable', 'The response is not an export.')
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

/** Verifies an archive and reports each verdict. Exit code 0 only if all hold. */
async function verify(
  path: string,
  values: Values,
  environment: Environment,
  output: Output,
): Promise<number | undefined> {
  const [previous, tsa, witness] = [textOf(values, 'previous'), textOf(values, 'tsa'), values.witness]
  const certificate = tsa === undefined ? undefined : contentOf(`@${tsa}`)
  const adjacent = previous === undefined ? undefined : await opened(previous)
  const outside: Outside = {
    fingerprint: textOf(values, 'key'),
    published: publishedKeys(values, environment),
    adjacent,
    authority: certificate === undefined ? undefined : async () => certificate,
    witness: Array.isArray(witness) ? witness.join(' ') : undefined,
  }
  const archive = await opened(path)
  const report = await verifyArchive(archive, outside, {
    progress: (share) => output.isTerminal && output.error(`\r\u001b[KHashing ${Math.floor(share * 100)} %`),
  }).finally(() => Promise.all([archive.close(), adjacent?.close()]))
  if (output.isTerminal) output.error('\r\u001b[K')
  if (output.format === 'table') output.out(describe(report))
  else {
    const { exportId, about, fingerprint, verdicts, checks, everything } = report
    print(output, {
      exportId,
      about: about === undefined ? null : aboutInJson(about),
      fingerprint: fingerprint ?? null,
      keyInWords: fingerprint === undefined ? null : wordsOf(fingerprint).join(' '),
      everything,
      verdicts,
      checks: checks.map((check) => ({ ...check })),
    })
  }
  return report.everything ? undefined : exitCodes.different
}

const aboutInJson = ({ requested, scope, timeStampAuthority, omissions, ...about }: About): JsonObject => ({
  ...about,
  contents: about.contents.map((one) => ({ ...one })),
  requested: requested ?? null,
  scope: scope ?? null,
  timeStampAuthority: timeStampAuthority ?? null,
  omissions: omissions?.map((one) => ({ ...one })) ?? null,
})

/** Whose archive it is and what it says of itself, before the verdicts. */
function describe(report: Report): string {
  const { about, fingerprint } = report
  const facts = [...(about === undefined ? [] : aboutLines(about)), ...(fingerprint ? keyLines(fingerprint) : [])]
  const verdicts = verdictNames.flatMap((name) => {
    const state = report.verdicts[name]
    // Freshness also says up to when the archive knows the log.
    const told = report.checks.filter(
      (check) => check.verdict === name && (check.state !== 'holds' || name === 'freshness'),
    )
    return [
      `${questions[name].title.padEnd(18)}${state}`,
      ...told.map((check) => `  ${visible(check.name)}: ${visible(check.detail)}`),
    ]
  })
  const lines = facts.map(([label, text]) => `${label.padEnd(18)}${visible(text)}`)
  return `${[...lines, ...(lines.length > 0 ? [''] : []), ...verdicts, '', conclusionOf(report)].join('\n')}\n`
}

async function opened(path: string): Promise<OpenFile> {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) throw usageError(`${path} is not a file.`)
  return await openFile(path)
}

/** The keys and heads that the service publishes: from a file, or from the server that flags or environment name. */
function publishedKeys(values: Values, environment: Environment): Outside['published'] {
  const file = textOf(values, 'keys')
  if (file !== undefined) return async () => jsonOf(readFileSync(file, 'utf8'), file)
  if (textOf(values, 'url') === undefined && environment.COUNTERSIGN_URL === undefined) return undefined
  const url = urlOf(values, environment)
  return async ({ externalId, heads: { seals, open } }) => {
    const known = new URLSearchParams()
    if (seals !== undefined) known.set('seals', String(seals.size))
    if (open !== undefined) {
      known.set('day', open.origin.slice(-10))
      known.set('size', String(open.size))
    }
    const response = await send(
      `${url}/.well-known/countersign/${encodeURIComponent(externalId)}/log-keys.json?${known}`,
    )
    if (!response.ok) throw new Error(`The server answered ${response.status}.`)
    return await response.json()
  }
}

import { statSync } from 'node:fs'
import type { JsonObject } from '#lib/json.ts'
import { wordsOf } from '#lib/verify/fingerprint/words.ts'
import { typedFingerprint } from '#lib/verify/origin.ts'
import { type OpenFile, openFile } from '#lib/verify/programs/file.ts'
import { visible } from '#lib/verify/programs/visible.ts'
import { type About, NotChecked, type Report, verdictNames } from '#lib/verify/report.ts'
import { type Outside, verifyArchive } from '#lib/verify/verify.ts'
import { typedWitnessKeys } from '#lib/verify/witnesses.ts'
import { aboutLines, conclusionOf, keyLines, questions } from '#lib/verify/words.ts'
import { jsonIn } from '../answer.ts'
import { exitCodes, systemReason, usageError } from '../failure.ts'
import { commonFlags, jsonOf, parse, readText, shown, textOf, type Values } from '../flags.ts'
import { type Output, print } from '../output.ts'
import { send, urlOf } from '../session.ts'
import { type Command, commonUsage, type Environment } from './command.ts'

export const outsideFlags = {
  key: { type: 'string' },
  keys: { type: 'string' },
  previous: { type: 'string' },
  tsa: { type: 'string' },
  witness: { type: 'string', multiple: true },
} as const
export const outsideUsage = `  --key <fingerprint>    the service’s key as you know it: 64 hexadecimal digits, or its twelve words in quotation marks
  --keys <file>          the service’s log-keys.json; by default it is fetched from --url or COUNTERSIGN_URL
  --previous <zip>       the archive made directly before or after this one
  --tsa <pem>            the certificate of the time-stamping authority
  --witness <key>        the key of a witness as you know it: name+id+base64; may be given several times`

export const evidenceVerify: Command = {
  name: 'evidence verify',
  summary: 'Verify an archive',
  usage: `countersign evidence verify <zip> [--key <fingerprint or words>] [--previous <zip>] [--tsa <pem>] [--witness <key>]

Prints whose archive it is and what it says of itself, then each verdict.

Exit code 0 only if all five verdicts hold, 5 if one fails or could not be checked.
${commonUsage}
${outsideUsage}`,
  flags: outsideFlags,
  async run({ args, environment, output }) {
    const { values, positionals } = parse(args, { ...commonFlags, ...outsideFlags })
    const [path] = positionals
    if (path === undefined || positionals.length > 1) throw usageError('Name one archive.')
    return await verify(path, await outsideOf(values, environment), output)
  },
}

/** Verifies an archive and reports each verdict. Exit code 0 only if all hold. */
export async function verify(path: string, outside: Known, output: Output): Promise<number | undefined> {
  const archive = await opened(path)
  const report = await verifyArchive(archive, outside, {
    progress: (share) => output.isTerminal && output.error(`\r\u001b[KHashing ${Math.floor(share * 100)} %`),
  }).finally(() => Promise.all([archive.close(), outside.adjacent?.close()]))
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

type Known = Outside & { adjacent: OpenFile | undefined }

/** What the flags say of the archive: what its reader knows from elsewhere. Throws a usage error for what can't be read or compared. */
export async function outsideOf(values: Values, environment: Environment): Promise<Known> {
  const [previous, tsa, fingerprint] = [textOf(values, 'previous'), textOf(values, 'tsa'), textOf(values, 'key')]
  const witness = values.witness === undefined ? undefined : [values.witness].flat().join(' ')
  if (fingerprint !== undefined) requireValid('--key', fingerprint, typedFingerprint)
  if (witness !== undefined) requireValid('--witness', witness, typedWitnessKeys)
  const certificate = tsa === undefined ? undefined : readText(tsa)
  return {
    fingerprint,
    published: publishedKeys(values, environment),
    authority: certificate === undefined ? undefined : async () => certificate,
    witness,
    adjacent: previous === undefined ? undefined : await opened(previous),
  }
}

function requireValid(flag: string, given: string, read: (given: string) => unknown): void {
  try {
    read(given)
  } catch (error) {
    if (!(error instanceof NotChecked)) throw error
    throw usageError(`${flag}: ${shown(given)}. ${error.message}`)
  }
}

async function opened(path: string): Promise<OpenFile> {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) throw usageError(`${path} is not a file.`)
  return await openFile(path).catch((error: unknown) => {
    throw usageError(`${path} can’t be read: ${systemReason(error)}.`)
  })
}

/** The keys and heads that the service publishes: from a file, or from the server that flags or environment name. */
function publishedKeys(values: Values, environment: Environment): Outside['published'] {
  const file = textOf(values, 'keys')
  if (file !== undefined) {
    const keys = jsonOf(readText(file), file)
    return async () => keys
  }
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
    return await jsonIn(response)
  }
}

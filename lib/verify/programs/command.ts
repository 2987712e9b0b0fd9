import { parseJson } from '../bytes.ts'
import { verdictNames } from '../report.ts'
import { verifyArchive } from '../verify.ts'
import { aboutLines, conclusionOf, keyLines, questions } from '../words.ts'
import { openFile } from './file.ts'
import { visible } from './visible.ts'

// verify.mjs of every archive: the verifier for a terminal. It opens the files that it is given and connects to nothing.

const usage = `node verify.mjs <archive.zip> [--fingerprint <hex or words>] [--keys <log-keys.json>]
       [--adjacent <other.zip>] [--tsa <certificate.pem>] [--witness <key>]

  --fingerprint  the service's key, as you know it: 64 hexadecimal digits, or twelve words
  --keys         the service's log-keys.json, as you fetched it
  --adjacent     the archive made directly before or after this one
  --tsa          the certificate of the time-stamping authority, in PEM
  --witness      the key of a witness, as you know it: name+id+base64; may be given several times

Exit code: 0 everything agrees, 1 something fails, 2 not an archive or wrong usage, 3 not everything could be checked.
`

/** Makes Node collect garbage early, without which the strings of long lines would add up to hundreds of megabytes. */
async function stayLean(): Promise<void> {
  const { setFlagsFromString } = await import('node:v8')
  for (const flag of ['--optimize-for-size', '--max-semi-space-size=4']) setFlagsFromString(flag)
}

/** Returns the exit code. */
export async function runCommand(args: readonly string[], write: (text: string) => void): Promise<number> {
  // The archive's texts must not act on the terminal.
  const print = (text: string) => write(text.split('\n').map(visible).join('\n'))
  await stayLean()
  const given = argumentsOf(args)
  if (given === undefined) {
    print(usage)
    return 2
  }
  const opened = await open(given).catch((error: unknown) => {
    print(`${error instanceof Error ? error.message : String(error)}\n`)
  })
  if (opened === undefined) return 2
  const { archive, published, adjacent, authority } = opened
  const { fingerprint, witness } = given
  const report = await verifyArchive(archive, { fingerprint, published, adjacent, authority, witness })
  await Promise.all([archive.close(), adjacent?.close()])
  if (report.about === undefined) {
    print(`${report.checks.map(({ detail }) => detail).join('\n')}\n`)
    return 2
  }
  const key = report.fingerprint === undefined ? [] : keyLines(report.fingerprint)
  for (const [label, text] of [...aboutLines(report.about), ...key]) print(`${label.padEnd(18)}${visible(text)}\n`)
  for (const name of verdictNames) {
    print(`\n${questions[name].title.toUpperCase()}: ${report.verdicts[name]}. ${questions[name].question}\n`)
    for (const check of report.checks)
      if (check.verdict === name) print(`  ${check.state.padEnd(12)} ${check.name}: ${visible(check.detail)}\n`)
  }
  print(`\n${conclusionOf(report)}\n`)
  if (Object.values(report.verdicts).includes('fails')) return 1
  return report.everything ? 0 : 3
}

type Given = {
  archive: string
  fingerprint?: string
  keys?: string
  adjacent?: string
  tsa?: string
  /** Separated by spaces. */
  witness?: string
}

async function open({ archive, keys, adjacent, tsa }: Given) {
  const { promises } = await import('node:fs')
  const list = keys === undefined ? undefined : parseJson(await promises.readFile(keys, 'utf8'), keys)
  const certificate = tsa === undefined ? undefined : await promises.readFile(tsa, 'utf8')
  return {
    archive: await openFile(archive),
    published: list === undefined ? undefined : async () => list,
    adjacent: adjacent === undefined ? undefined : await openFile(adjacent),
    authority: certificate === undefined ? undefined : async () => certificate,
  }
}

const options: Readonly<Record<string, Exclude<keyof Given, 'archive'>>> = {
  '--fingerprint': 'fingerprint',
  '--keys': 'keys',
  '--adjacent': 'adjacent',
  '--tsa': 'tsa',
  '--witness': 'witness',
}

function argumentsOf(args: readonly string[]): Given | undefined {
  const given: Partial<Given> = {}
  for (let at = 0; at < args.length; at++) {
    const [word = '', value] = [args[at], args[at + 1]]
    const option = options[word]
    if (option !== undefined) {
      if (value === undefined) return undefined
      const before = option === 'witness' ? given.witness : undefined
      given[option] = before === undefined ? value : `${before} ${value}`
      at++
    } else if (word.startsWith('-') || given.archive !== undefined) return undefined
    else given.archive = word
  }
  const { archive } = given
  return archive === undefined ? undefined : { ...given, archive }
}

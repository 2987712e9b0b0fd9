import { parseJson } from './bytes.ts'
import { verdictNames } from './report.ts'
import { verifyArchive } from './verify.ts'
import { aboutLines, conclusionOf, questions } from './words.ts'

// verify.mjs of every archive: the verifier for a terminal. It opens the files that it is given and connects to nothing.

const usage = `node verify.mjs <archive.zip> [--fingerprint <hex>] [--keys <log-keys.json>] [--adjacent <other.zip>]

  --fingerprint  the service's key, as you know it: 64 hexadecimal digits
  --keys         the service's log-keys.json, as you fetched it
  --adjacent       the archive made directly before or after this one

Exit code: 0 everything agrees, 1 something fails, 2 not an archive or wrong usage, 3 not everything could be checked.
`

/** Returns the exit code. */
export async function runCommand(args: readonly string[], print: (text: string) => void): Promise<number> {
  const given = argumentsOf(args)
  if (given === undefined) {
    print(usage)
    return 2
  }
  const opened = await open(given).catch((error: unknown) => {
    print(`${error instanceof Error ? error.message : String(error)}\n`)
  })
  if (opened === undefined) return 2
  const { archive, published, adjacent } = opened
  const report = await verifyArchive(archive, { fingerprint: given.fingerprint, published, adjacent })
  if (report.about === undefined) {
    print(`${report.checks.map(({ detail }) => detail).join('\n')}\n`)
    return 2
  }
  for (const [label, text] of aboutLines(report.about)) print(`${label.padEnd(18)}${text}\n`)
  for (const name of verdictNames) {
    print(`\n${questions[name].title.toUpperCase()}: ${report.verdicts[name]}. ${questions[name].question}\n`)
    for (const check of report.checks)
      if (check.verdict === name) print(`  ${check.state.padEnd(12)} ${check.name}: ${check.detail}\n`)
  }
  print(`\n${conclusionOf(report)}\n`)
  if (Object.values(report.verdicts).includes('fails')) return 1
  return report.everything ? 0 : 3
}

type Given = { archive: string; fingerprint?: string; keys?: string; adjacent?: string }

async function open({ archive, keys, adjacent }: Given) {
  const { openAsBlob, promises } = await import('node:fs')
  const list = keys === undefined ? undefined : parseJson(await promises.readFile(keys, 'utf8'), keys)
  return {
    archive: await openAsBlob(archive),
    published: list === undefined ? undefined : async () => list,
    adjacent: adjacent === undefined ? undefined : await openAsBlob(adjacent),
  }
}

function argumentsOf(args: readonly string[]): Given | undefined {
  const given: Partial<Given> = {}
  for (let at = 0; at < args.length; at++) {
    const [word = '', value] = [args[at], args[at + 1]]
    if (word === '--fingerprint' || word === '--keys' || word === '--adjacent') {
      if (value === undefined) return undefined
      given[word === '--keys' ? 'keys' : word === '--adjacent' ? 'adjacent' : 'fingerprint'] = value
      at++
    } else if (word.startsWith('-') || given.archive !== undefined) return undefined
    else given.archive = word
  }
  const { archive } = given
  return archive === undefined ? undefined : { ...given, archive }
}

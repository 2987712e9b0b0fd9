import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { runStep } from './run-step.mjs'

const root = join(import.meta.dirname, '..')
const properties = 'server/testing/properties'
const sdks = join(root, 'server/testing/compatibility/sdks')

/** One suite for each file of property tests; its name is the file's. */
const propertySuites = readdirSync(join(root, properties))
  .filter((file) => file.endsWith('.test.ts'))
  .sort()
  .map((file) => ({ name: basename(file, '.test.ts'), run: () => vitest([`${properties}/${file}`]) }))

/**
 * All suites, in the order in which they run. To add one: a name, what it runs, and in `missing` what it needs that a machine
 * may lack, such as `missing: () => missing('java', 'go')`.
 */
export const suites = [
  ...propertySuites,
  { name: 'sealer-killed', run: () => vitest(['server/audit/sealing/sealer-killed.test.ts']) },
  { name: 'tampering', run: () => vitest(['server/audit/sealing/tampering.test.ts']) },
  { name: 'schema', run: () => vitest(['server/kernel/db/tables.test.ts']) },
  { name: 'tokens', run: () => vitest(['server/kernel/auth/']) },
  { name: 'inputs', run: () => vitest(['server/inputs/inputs.test.ts']) },
  { name: 'export-killed', run: () => vitest(['server/evidence/jobs/export-killed.test.ts']) },
  {
    name: 's3',
    missing: () => missing('moto_server'),
    run: () => vitest(['server/evidence/places/']),
  },
  { name: 'archive-changes', run: () => vitest(['server/evidence/archive-changes.test.ts']) },
  { name: 'verify-archive', run: () => vitest(['server/evidence/verify-archive.test.ts']) },
  { name: 'sha256', run: () => vitest(['lib/sha256.test.ts']) },
  { name: 'compatibility', missing: () => missing('npm'), run: compatibility },
]

/** SDKs, exporters and tool servers of others, which `npm ci` at the root does not install. */
async function compatibility() {
  const npm = { command: 'npm', cwd: sdks }
  if (!(await runStep(['ci', '--ignore-scripts'], npm)).ok)
    throw new Error('npm ci failed in server/testing/compatibility/sdks')
  const types = await runStep([join(root, 'node_modules/typescript/bin/tsc'), '--noEmit', '-p', sdks], { cwd: root })
  if (!types.ok) throw new Error('the types of server/testing/compatibility/sdks')
  return await vitest(['server/testing/compatibility/'])
}

/** The first program of these that this machine does not have. */
function missing(...programs) {
  const folders = (process.env.PATH ?? '').split(':')
  return programs.find((program) => !folders.some((folder) => existsSync(join(folder, program))))
}

/** Runs test files at full counts. A test that counts its cases is as many, every other one is one. */
async function vitest(files) {
  const scratch = mkdtempSync(join(tmpdir(), 'countersign-proof-'))
  const report = join(scratch, 'vitest.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  try {
    const { ok } = await runStep([join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...files, ...reporters], {
      cwd: root,
      env: { PROOF: 'full' },
    })
    const result = countsOf(JSON.parse(readFileSync(report, 'utf8')))
    return ok || result.failed > 0
      ? result
      : { ...result, failed: 1, lines: [...result.lines, 'FAILED: the run as a whole'] }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function countsOf({ testResults }) {
  const result = { passed: 0, failed: 0, lines: [] }
  const fail = (title, message = '') => {
    result.failed += 1
    result.lines.push(`FAILED: ${title}: ${stripVTControlCharacters(message).split('\n')[0]}`)
  }
  for (const { name, message, assertionResults } of testResults) {
    const failed = assertionResults.filter(({ status }) => status === 'failed')
    for (const { fullName, failureMessages } of failed) fail(fullName, failureMessages[0])
    if (failed.length === 0 && message) fail(relative(root, name), message)
    for (const { status, fullName, meta } of assertionResults) {
      if (status !== 'passed') continue
      result.passed += meta?.cases ?? 1
      if (meta?.cases !== undefined) result.lines.push(`${meta.cases} cases: ${fullName}`)
    }
  }
  return result
}

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { installedBrowser } from '../browser.mjs'
import { playwrightCounts } from '../reports/playwright.mjs'
import { runStep } from '../run-step.mjs'
import { deployTools } from './deploy-tools.mjs'
import { missingProgram as missing } from './missing-program.mjs'

const root = join(import.meta.dirname, '../..')
const properties = 'server/testing/properties'
const readers = 'server/testing/readers/archive-readers.test.ts'
/** The reference implementation of BagIt (PyPI). */
const bagit = 'bagit==1.9.0'
/** An S3 server that is not ours (PyPI). */
const moto = 'moto[s3,server]==5.2.4'
const sdks = join(root, 'server/testing/compatibility/sdks')

/** Programs that a file of property tests needs and a machine may lack. */
const needs = { schemathesis: ['python3'] }

/** One suite for each file of property tests; its name is the file's. */
const propertySuites = readdirSync(join(root, properties))
  .filter((file) => file.endsWith('.test.ts'))
  .sort()
  .map((file) => {
    const name = basename(file, '.test.ts')
    return { ...tests(name, `${properties}/${file}`), missing: () => missing(...(needs[name] ?? [])) }
  })

/** A suite of these files or folders. */
function tests(name, ...files) {
  return { name, files, run: () => vitest(files) }
}

/** Suites in a real browser, which make the build that they need: their files in `e2e`. */
const named = {
  'approval-states': ['approval-states', 'history', 'reading', 'questions', 'changes', 'standing-grants'],
  'approvals-in-a-row': ['approvals-in-a-row'],
  'every-control': ['every-control'],
  'every-page': ['every-page', 'print'],
}
const browserSuites = {
  ...named,
  // All others that check a page in both widths and both themes.
  'every-view': readdirSync(join(root, 'e2e'))
    .filter(
      (file) => file.endsWith('.spec.ts') && readFileSync(join(root, 'e2e', file), 'utf8').includes('/every-view.ts'),
    )
    .map((file) => basename(file, '.spec.ts'))
    .filter((spec) => !Object.values(named).flat().includes(spec))
    .sort(),
}

/**
 * All suites, in the order in which they run. To add one: a name, what it runs, and in `missing` what it needs that a machine
 * may lack, such as `missing: () => missing('java', 'go')`. `files` are the tests, and folders of tests, that are run whole.
 */
export const suites = [
  ...propertySuites,
  tests('sealer-killed', 'server/audit/sealing/sealer-killed.test.ts'),
  tests('demo', 'server/demo-command.test.ts'),
  tests('tampering', 'server/audit/sealing/tampering.test.ts'),
  tests('schema', 'server/kernel/db/tables.test.ts'),
  tests('tokens', 'server/kernel/auth/'),
  tests('inputs', 'server/inputs/inputs.test.ts'),
  tests('export-killed', 'server/evidence/jobs/export-killed'),
  {
    ...tests('export-memory', 'bench/export-memory.test.ts'),
    missing: () => (freeGigabytes() < 60 ? '60 GB of free space' : undefined),
  },
  tests('box', 'bench/box.test.ts'),
  tests('export-disk-full', 'server/evidence/jobs/export-disk-full.test.ts'),
  {
    name: 's3',
    files: ['server/evidence/places/'],
    missing: () => missing('python3'),
    run: () => withPython([moto], (bin) => vitest(['server/evidence/places/'], { PATH: `${bin}:${process.env.PATH}` })),
  },
  tests('archive-changes', 'server/evidence/archive-changes.test.ts'),
  {
    ...tests('every-verifier', 'server/evidence/every-verifier.test.ts'),
    missing: () => (installedBrowser() === undefined ? 'Chromium' : missing('sha256sum', 'openssl')),
  },
  tests('archive-bombs', 'server/evidence/archive-bombs.test.ts'),
  tests('verify-archive', 'server/evidence/verify-archive.test.ts'),
  tests('bound-spans', 'server/evidence/bound-spans.test.ts'),
  tests('search', 'server/search/find.test.ts'),
  ...['unzip', 'bsdtar', '7z'].map((program) => ({
    name: program,
    missing: () => missing(program),
    run: () => reader(program),
  })),
  { name: 'python', missing: () => missing('python3'), run: python },
  { name: 'go-tlog', missing: () => missing('go'), run: () => reader('tlog and note of Go') },
  { name: 'go-sigstore', missing: () => missing('go'), run: () => reader('sigstore of Go') },
  tests('sha256', 'lib/sha256.test.ts'),
  tests('approval-stages', 'server/approvals/terms/', 'server/approvals/revisions/'),
  tests('standing-grants', 'server/standing-grants/'),
  ...Object.entries(browserSuites).map(([name, specs]) => {
    const files = specs.map((spec) => `e2e/${spec}.spec.ts`)
    return {
      name,
      files,
      missing: () => (installedBrowser() === undefined ? 'Chromium' : undefined),
      run: () => browser(name, files),
    }
  }),
  {
    name: 'keycloak',
    missing: () => missing('java', 'mvn') ?? (installedBrowser() === undefined ? 'Chromium' : undefined),
    // One Keycloak at a time.
    run: () => vitest(['server/testing/keycloak/'], {}, ['--no-file-parallelism']),
  },
  { name: 'deploy', missing: () => missing('python3'), run: deploy },
  { name: 'compatibility', missing: () => missing('npm', 'python3'), run: compatibility },
]

/** One test of the third-party programs that read an archive. */
const reader = (name, env = {}) => vitest([readers], env, ['-t', name])

/** Python's zipfile, and bagit. */
function python() {
  return withPython([bagit], (bin) => reader('of Python', { PROOF_PYTHON: join(bin, 'python') }))
}

/** Runs `work` with the folder of programs of a virtual environment that has these packages. */
async function withPython(packages, work) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-python-'))
  try {
    const bin = join(folder, 'bin')
    const pip = ['-m', 'pip', 'install', '--quiet', ...packages]
    const made = await runStep(['-m', 'venv', folder], { command: 'python3' })
    if (!made.ok || !(await runStep(pip, { command: join(bin, 'python') })).ok)
      throw new Error(`${packages.join(', ')} could not be installed`)
    return await work(bin)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Third-party SDKs, exporters and tool servers, which `npm ci` at the root does not install. */
async function compatibility() {
  const npm = { command: 'npm', cwd: sdks }
  if (!(await runStep(['ci', '--ignore-scripts'], npm)).ok)
    throw new Error('npm ci failed in server/testing/compatibility/sdks')
  const types = await runStep([join(root, 'node_modules/typescript/bin/tsc'), '--noEmit', '-p', sdks], { cwd: root })
  if (!types.ok) throw new Error('the types of server/testing/compatibility/sdks')
  return await vitest(['server/testing/compatibility/'], { PROOF_PYTHON: await pythonPackages() })
}

/** The files of docs/deploy, with linters and the programs that read them. */
async function deploy() {
  const folder = join(root, 'node_modules/.cache/countersign-deploy')
  const { path, missing: lacking } = await deployTools(folder, (name) => missing(name) === undefined)
  const files = ['cli/proof/lint-deploy.test.ts', 'cli/deploy-files.test.ts', 'server/proxies.test.ts']
  const result = await vitest(files, { PATH: path })
  return lacking.length === 0
    ? result
    : { ...result, lines: [...result.lines, `without ${lacking.join(', ')}, which this machine does not have`] }
}

/** Makes a virtual environment with the third-party Python packages, and returns its folder. */
async function pythonPackages() {
  const folder = join(root, 'node_modules/.cache/countersign-python')
  if (!(await runStep(['-m', 'venv', folder], { command: 'python3', cwd: root })).ok)
    throw new Error('python3 -m venv failed')
  const requirements = join(root, 'server/testing/compatibility/python/requirements.txt')
  const pip = { command: join(folder, 'bin/pip'), cwd: root }
  if (!(await runStep(['install', '--quiet', '--requirement', requirements], pip)).ok)
    throw new Error('pip install failed in server/testing/compatibility/python')
  return folder
}

/** Where the tests have their databases and archives. */
function freeGigabytes() {
  const { bavail, bsize } = statfsSync(tmpdir())
  return (bavail * bsize) / 1e9
}

/** Runs test files at full counts. A test that counts its cases is as many, every other one is one. */
async function vitest(files, env = {}, options = []) {
  const scratch = mkdtempSync(join(tmpdir(), 'countersign-proof-'))
  const report = join(scratch, 'vitest.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  try {
    const { ok } = await runStep(
      [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...files, ...options, ...reporters],
      {
        cwd: root,
        env: { PROOF: 'full', ...env },
      },
    )
    const result = countsOf(JSON.parse(readFileSync(report, 'utf8')), { whole: !options.includes('-t') })
    return ok || result.failed > 0
      ? result
      : { ...result, failed: 1, lines: [...result.lines, 'FAILED: the run as a whole'] }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** The pictures of the last run of each browser suite. */
const pictures = join(root, 'node_modules', '.cache', 'countersign-pictures')

/** Runs browser tests on the build of this source, at full counts, and keeps pictures of the pages that they check. */
async function browser(name, files) {
  const quiet = { NEXT_TELEMETRY_DISABLED: '1' }
  if (!(await runStep([join(root, 'cli/build.mjs')], { cwd: root, env: quiet })).ok) throw new Error('the build')
  const scratch = mkdtempSync(join(tmpdir(), 'countersign-proof-'))
  const report = join(scratch, 'playwright.json')
  const kept = join(pictures, name)
  rmSync(kept, { recursive: true, force: true })
  mkdirSync(kept, { recursive: true })
  try {
    const { ok } = await runStep([join(root, 'node_modules/@playwright/test/cli.js'), 'test', ...files], {
      cwd: root,
      env: { ...quiet, PROOF: 'full', E2E_PICTURES: kept, PLAYWRIGHT_JSON_OUTPUT_NAME: report },
    })
    const { passed, failed, causes, lines } = playwrightCounts(JSON.parse(readFileSync(report, 'utf8')))
    const failures = causes.map(({ title, message }) => failureLine(title, message))
    return ok || failed > 0
      ? { passed, failed, lines: [...failures, ...lines] }
      : { passed, failed: 1, lines: [...lines, 'FAILED: the run as a whole'] }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** One line, without colours. */
const failureLine = (title, message) => `FAILED: ${title}: ${stripVTControlCharacters(message).split('\n')[0]}`

/** `whole`: all tests of the files were to run. */
function countsOf({ testResults }, { whole }) {
  const result = { passed: 0, failed: 0, lines: [] }
  const fail = (title, message = '') => {
    result.failed += 1
    result.lines.push(failureLine(title, message))
  }
  for (const { name, message, assertionResults } of testResults) {
    const failed = assertionResults.filter(({ status }) => status === 'failed')
    for (const { fullName, failureMessages } of failed) fail(fullName, failureMessages[0])
    if (failed.length === 0 && message) fail(relative(root, name), message)
    for (const { status, fullName, meta } of assertionResults) {
      if (status === 'skipped' && whole) result.lines.push(`skipped, because this machine can’t run it: ${fullName}`)
      if (status !== 'passed') continue
      result.passed += meta?.cases ?? 1
      if (meta?.cases !== undefined) result.lines.push(`${meta.cases} cases: ${fullName}`)
    }
  }
  return result
}

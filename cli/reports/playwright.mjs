/**
 * What a run of Playwright counted, from its JSON report. A test that counts its cases (e2e/counts.ts) is as many, every other one
 * is one. `lines`: what to print of the tests that passed.
 */
export function playwrightCounts({ suites }) {
  const report = { passed: 0, failed: 0, causes: [], lines: [] }
  for (const spec of suites.flatMap(specsOf)) {
    const { file, line, title, ok, tests } = spec
    if (!ok) {
      const { error } = tests.flatMap(({ results }) => results).find((result) => result.error) ?? {}
      report.failed += 1
      report.causes.push({ title: `e2e/${file}:${line} › ${title}`, message: error?.message ?? '' })
      continue
    }
    // Playwright also calls a test that was skipped "ok".
    if (tests.every(({ status }) => status === 'skipped')) continue
    const notes = tests.flatMap(({ annotations = [] }) => annotations)
    const cases = notes.filter(({ type }) => type === 'cases').map(({ description }) => Number(description))
    const sum = cases.reduce((total, one) => total + one, 0)
    report.passed += cases.length === 0 ? 1 : sum
    if (cases.length > 0) report.lines.push(`${sum} cases: ${title}`)
    for (const { type, description } of notes) if (type === 'time') report.lines.push(description)
  }
  return report
}

/** Milliseconds of each test file, as pairs of its path and its time. */
export function playwrightTimes({ suites }) {
  const times = new Map()
  for (const { file, tests } of suites.flatMap(specsOf))
    for (const { duration } of tests.flatMap(({ results }) => results)) {
      const path = `e2e/${file}`
      times.set(path, (times.get(path) ?? 0) + duration)
    }
  return [...times]
}

const specsOf = ({ specs = [], suites = [] }) => [...specs, ...suites.flatMap(specsOf)]

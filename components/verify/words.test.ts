import { expect, test } from 'vitest'
import { demoPrefix } from '#lib/verify/demo.ts'
import { type About, type State, verdictNames } from '#lib/verify/report.ts'
import { aboutLines, conclusionOf, englishAbout, questions as englishQuestions } from '#lib/verify/words.ts'
import { aboutWords, conclusionText, questions } from './words.ts'

// The page, verify.html and verify.mjs say the same in English.

const about: About = {
  sealed: false,
  exportId: '01a21d4e-e8b5-7c43-81fa-990130e45e10',
  formatVersion: 2,
  tenant: { externalId: `${demoPrefix}acme`, name: 'Acme' },
  period: { start: '2026-11-01T00:00:00Z', end: '2026-11-20T00:00:00Z' },
  requested: { start: '2026-10-01T00:00:00Z', end: '2026-11-20T00:00:00Z' },
  sealedAt: '2026-11-20T01:00:00.123Z',
  scope: 'One agent',
  timeStampAuthority: 'https://tsa.example',
  masked: true,
  withProofs: true,
  contents: [
    'audit',
    'members',
    'agents',
    'agent-owners',
    'agent-versions',
    'releases',
    'policies',
    'policy-names',
    'policy-bindings',
    'executions',
    'execution-events',
    'execution-steps',
    'execution-spans',
    'input-events',
    'input-waits',
    'input-resolutions',
    'files',
    'file-uses',
    'approvals',
    'approval-questions',
    'approval-revisions',
    'approval-terms',
    'approval-votes',
    'standing-grants',
    'standing-grant-uses',
    'decisions',
    'traces',
    'spans',
    'resources',
    'batches',
    'values',
    'omissions',
    'other-records',
  ].map((name, index) => ({ name, records: index + 1 })),
  omissions: [
    'erased',
    'masked',
    'retention_expired',
    'permission_denied',
    'too_large',
    'source_unavailable',
    'integrity_failed',
    'unknown',
  ].map((reason, index) => ({ reason, count: index + 1 })),
  openDays: ['2026-11-20'],
}

test.each([
  about,
  { ...about, sealed: true, masked: false, omissions: [], contents: [] },
  { ...about, omissions: undefined },
])('what an archive says of itself', (one) =>
  expect(aboutLines(one, aboutWords)).toEqual(aboutLines(one, englishAbout)),
)

test('the five questions', () => expect(questions).toEqual(englishQuestions))

test('the conclusion', () => {
  for (const state of ['holds', 'fails', 'not checked'] as const)
    for (const externalId of ['acme', about.tenant.externalId]) {
      const verdicts = Object.fromEntries(verdictNames.map((name) => [name, state])) as Record<
        (typeof verdictNames)[number],
        State
      >
      const report = {
        verdicts,
        everything: state === 'holds',
        about: { ...about, tenant: { ...about.tenant, externalId } },
      }
      expect(conclusionText(report)).toBe(conclusionOf(report))
    }
})

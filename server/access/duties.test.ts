import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { collectCatalog } from '#server/catalog.ts'
import { alone, asking, deciding, readers } from '#server/testing/duties.ts'

// One module decides who is the same person, and every operation that needs a second person comes to it.

const root = join(import.meta.dirname, '../..')
const source = new Map(
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'server', 'lib'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('server/testing/'))
    .map((file) => [file, readFileSync(join(root, file), 'utf8')]),
)
const using = (pattern: RegExp) => [...source].filter(([, text]) => pattern.test(text)).map(([file]) => file)
const identities = 'server/tenants/identities.ts'
const code = (file: string) => source.get(file) ?? ''

test('each change in the catalog says whether it needs a second person, and where that is checked', () => {
  const changes = collectCatalog().filter(({ operation }) => operation.kind === 'mutation')
  const known = new Set([asking, deciding, alone].flatMap((list) => Object.keys(list)))
  expect([...new Set(changes.map(({ name }) => name))].sort()).toEqual([...known].sort())
  expect(Object.keys(alone).filter((name) => name in asking || name in deciding)).toEqual([])
})

test('each file that asks for a decision is listed with its operation, and asks through approvals', () => {
  const asks = using(/\b(requestApproval|requestProposal|proposeChange|ask)\(\s*(tx|tx,)/)
  const carriers = ['server/approvals/request.ts', 'server/approvals/proposal.ts', 'server/access/changes/propose.ts']
  expect(asks.filter((file) => !carriers.includes(file)).sort()).toEqual([...new Set(Object.values(asking))].sort())
  // The request itself finds the owners of the agents, so that no caller can leave them out.
  expect(code('server/approvals/request.ts')).toMatch(/findOwnerIds\(tx, tenant\.id, request\.agents\)/)
})

test('each file that decides by the person asks the one module', () => {
  for (const file of new Set(Object.values(deciding))) expect(code(file), file).toContain(`#${identities}`)
})

test('only that module reads who is behind an account', () => {
  const reading = using(/\b(findSponsors|findLinksAround)\b/).filter((file) => !/-?store\.ts$/.test(file))
  expect(reading.sort()).toEqual([identities, ...readers].sort())
  expect(using(/\bcounterpartsOf\b/).sort()).toEqual(['lib/rules/identity.ts', identities])
})

test('a refusal for separation of duties comes from a rule with the module’s facts, or from the module’s user', () => {
  const refusing = using(/'separation_of_duties'/).filter((file) => file.startsWith('server/'))
  for (const file of refusing) expect(code(file), file).toContain(`#${identities}`)
  const rules = using(/code[:=]? ?=? ?'separation_of_duties'/).filter((file) => file.startsWith('lib/'))
  expect(rules.sort()).toEqual(['lib/rules/approvals.ts', 'lib/rules/members.ts'])
  expect(
    using(/\bwhyNotDecide\(/)
      .filter((file) => file.startsWith('server/'))
      .sort(),
  ).toEqual([
    'server/approvals/ask.ts',
    'server/approvals/decide.ts',
    'server/approvals/get.ts',
    'server/approvals/revisions/request-changes.ts',
    'server/approvals/view.ts',
  ])
})

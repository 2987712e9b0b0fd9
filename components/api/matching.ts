import type { Query } from '@tanstack/react-query'
import type { Topic } from '#lib/rules/changes.ts'

/** What changed, as changes.stream reports it. `id` null: anything of the topic. */
export type Change = { topic: Shown; id: string | null }

/** Topics, and the settings that only their owner changes and sees. */
export type Shown = Topic | 'passkeys' | 'savedViews' | 'sessions'

type Path = readonly [domain: string, ...rest: string[]]

/** What home counts of approvals and executions. */
const figures: readonly Path[] = [
  ['home', 'now'],
  ['home', 'figures'],
]

const grants: readonly Path[] = [
  ['approvals', 'listGrants'],
  ['approvals', 'listGrantUses'],
]

/** The queries that show a topic, by the start of their path, and the exceptions below it. */
const shown: Record<Shown, { in: readonly Path[]; except?: readonly Path[] }> = {
  agents: { in: [['agents'], ['home', 'changes']] },
  alarms: { in: [['alarms']] },
  approvals: {
    in: [['approvals'], ['agents', 'activity'], ...figures],
    except: [['approvals', 'mails'], ...grants],
  },
  audit: {
    in: [
      ['audit', 'list'],
      ['audit', 'facets'],
      ['audit', 'checkpoint'],
    ],
  },
  connectionTokens: { in: [['connectionTokens'], ['home', 'changes']] },
  delegations: { in: [['delegations']] },
  erasures: { in: [['erasures']] },
  // A signed manifest never changes.
  evidence: { in: [['evidence']], except: [['evidence', 'manifest']] },
  executions: {
    in: [['executions', 'list'], ['executions', 'get'], ['agents', 'activity'], ...figures],
  },
  // A member is shown with their groups, and the other way round.
  groups: { in: [['groups'], ['members'], ['home', 'changes']] },
  holds: { in: [['holds'], ['home', 'changes']] },
  inputs: {
    in: [
      ['executions', 'inputEvents'],
      ['executions', 'inputResolutions'],
      ['executions', 'inputWaits'],
    ],
  },
  // A member is shown with the mail of their one-time link.
  mails: { in: [['approvals', 'mails'], ['members']] },
  // A change that waits for approval is shown with its member or group.
  members: { in: [['members'], ['groups'], ['home', 'changes']] },
  notifications: { in: [['notifications']] },
  passkeys: { in: [['passkeys']] },
  policies: {
    in: [['policies'], ['home', 'changes']],
    except: [
      ['policies', 'check'],
      ['policies', 'simulate'],
    ],
  },
  policyBindings: { in: [['policyBindings'], ['policies', 'rules'], ['home', 'changes']] },
  releases: { in: [['releases'], ['home', 'changes']] },
  savedViews: { in: [['savedViews']] },
  seals: { in: [['audit', 'checkpoint']] },
  secrets: { in: [['secrets'], ['home', 'changes']] },
  serviceAccounts: { in: [['serviceAccounts'], ['home', 'changes']] },
  sessions: { in: [['sessions']] },
  standingGrants: { in: grants },
  tenants: { in: [['tenants'], ['session'], ['home', 'changes']] },
  traces: {
    in: [
      ['traces', 'list'],
      ['traces', 'getTrace'],
    ],
  },
}

/** Queries that count over much of the tenant, so that each reload costs the server more than that of a list. */
const counts: readonly Path[] = [['home'], ['agents', 'activity']]

export function isCount({ queryKey: [path] }: Pick<Query, 'queryKey'>): boolean {
  return isPath(path) && counts.some((place) => place.every((name, index) => path[index] === name))
}

/** The fields of an input that identify the object of a query; the first one present counts. */
const subjects = ['id', 'approvalId', 'exportId', 'traceId', 'decisionId'] as const

/** Returns whether the change may affect a cached query. */
export function isTouched({ queryKey, state }: Pick<Query, 'queryKey' | 'state'>, { topic, id }: Change): boolean {
  const [path, options] = queryKey
  if (!isPath(path)) return false
  if (topic === 'seals' && isUnsealed(state.data)) return true
  const { in: places, except = [] } = shown[topic]
  const within = (place: Path) => place.every((name, index) => path[index] === name)
  if (!places.some(within) || except.some(within)) return false
  const subject = namesOthers.some(within) ? undefined : subjectIn(path, options)
  return id === null || subject === undefined || subject === id
}

/** Queries of one object whose response depends on others: a request says whether the same was approved before. */
const namesOthers: readonly Path[] = [['approvals', 'get']]

const subjectIn = (path: readonly string[], options: unknown): string | undefined =>
  path.at(-1)?.startsWith('get') === true ? subjectOf(options) : undefined

const isPath = (path: unknown): path is string[] => Array.isArray(path)

/** A checkpoint does not name records, so it may seal any response whose seal is still open. */
const isUnsealed = (data: unknown): boolean =>
  typeof data === 'object' && data !== null && 'seal' in data && data.seal !== 'sealed'

function subjectOf(options: unknown): string | undefined {
  const input: unknown =
    typeof options === 'object' && options !== null && 'input' in options ? options.input : undefined
  if (typeof input !== 'object' || input === null) return undefined
  for (const name of subjects) {
    const value: unknown = Reflect.get(input, name)
    if (typeof value === 'string') return value
  }
  return undefined
}

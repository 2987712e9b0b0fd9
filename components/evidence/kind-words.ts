/** What the kinds of records in an archive are called, one and many. */
const words: Readonly<Record<string, readonly [one: string, many: string]>> = {
  agents: ['agent', 'agents'],
  'agent-versions': ['version of an agent', 'versions of agents'],
  releases: ['release', 'releases'],
  policies: ['policy version', 'policy versions'],
  'policy-bindings': ['policy binding', 'policy bindings'],
  members: ['member', 'members'],
  executions: ['execution', 'executions'],
  'execution-events': ['event of an execution', 'events of executions'],
  'input-events': ['input to an execution', 'inputs to executions'],
  'input-waits': ['wait for an input', 'waits for inputs'],
  'input-resolutions': ['answer to a wait', 'answers to waits'],
  files: ['file', 'files'],
  approvals: ['approval', 'approvals'],
  'approval-questions': ['question about an approval', 'questions about approvals'],
  'approval-revisions': ['request for changes', 'requests for changes'],
  'approval-terms': ['list of an approval’s stages and times', 'lists of approvals’ stages and times'],
  'approval-votes': ['vote', 'votes'],
  'standing-grants': ['standing grant', 'standing grants'],
  'standing-grant-uses': ['call by a standing grant', 'calls by standing grants'],
  decisions: ['policy decision', 'policy decisions'],
  traces: ['trace', 'traces'],
  spans: ['span', 'spans'],
  resources: ['description of a program that sent spans', 'descriptions of programs that sent spans'],
  audit: ['record of the log', 'records of the log'],
}

/** A kind in the plural; one that is not known as its code reads. */
export const kindWords = (kind: string): string => words[kind]?.[1] ?? kind.replaceAll('-', ' ')

/** The word for this many: `file`, `files`. */
export const nameOfKind = (count: number, kind: string): string =>
  (count === 1 ? words[kind]?.[0] : undefined) ?? kindWords(kind)

/** `7 files`. */
export const countOfKind = (count: number, kind: string): string =>
  `${count.toLocaleString('en')} ${nameOfKind(count, kind)}`

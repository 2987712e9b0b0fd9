import { createHash } from 'node:crypto'
import { ApiError, type Issue, issuesInWords } from '#lib/errors.ts'
import { canonicalJson } from '#lib/jcs.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import { addressFlaws, portFlaws } from '#lib/rules/addresses.ts'
import { mostStages, namesCourse, type Stage } from '#lib/rules/approval-terms.ts'
import { referenceFlaws } from '#lib/rules/manifest/references.ts'
import { stepsWithoutTool, toolListFlaws } from '#lib/rules/manifest/tool-lists.ts'
import { unknownMembers } from '#lib/rules/manifest/unknown-members.ts'
import { waitFlaws } from '#lib/rules/waits.ts'
import { AgentSpec, ManifestDocument } from '#lib/schemas/manifest.ts'
import { issueMessage, required } from '#lib/schemas/messages.ts'
import { parseYaml } from './parse-yaml.ts'
import { type Position, positionsIn } from './yaml-position.ts'

/** An error in a manifest with its position. */
type PlacedIssue = Issue & Position

export type Manifest = {
  /** The document as sent, including unknown members. */
  document: JsonObject
  /** `sha256:` of the document's JCS form: comments and layout don't count. */
  digest: string
  name: string
  version: string | undefined
  displayName: string | undefined
  /** `unknown`: the error to report when no member has this name. */
  owner: { name: string; unknown: PlacedIssue } | undefined
  /** The allowed tools of servers that the operator configured. `unoffered`: the warning if the server does not offer it. */
  tools: { server: string; name: string; unoffered: PlacedIssue }[]
  /** Its `governance.approvals` has stages or times of its own. */
  namesCourse: boolean
  /**
   * The groups that its `governance.approvals` names. `missing`: the warning if the group does not exist; `few`: its place if the
   * group has too few members.
   */
  stages: (Stage & { missing: PlacedIssue; few: PlacedIssue })[]
  /** Why it is not registered, unless a version with this digest exists: it may be older than the rule. */
  flaws: PlacedIssue[]
  /** Why a release of it would be refused: members that are missing or wrong. They are among the warnings, too. */
  incomplete: string[]
  warnings: Warning[]
}
/** `at`: the path as a list, because names may contain dots. */
type Unplaced = Issue & { at: readonly (string | number)[] }
export type Warning = PlacedIssue

const member = (value: JsonValue | undefined, ...path: string[]): JsonValue | undefined =>
  path.reduce<JsonValue | undefined>(
    (at, key) => (isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined),
    value,
  )

const text = (value: JsonValue | undefined): string | undefined =>
  typeof value === 'string' && value.trim() !== ''
    ? value.trim()
    : typeof value === 'number'
      ? String(value)
      : undefined

/** The places where each value is looked up; the first non-empty text counts. */
const paths = {
  name: [['metadata', 'name'], ['name'], ['agent', 'name'], ['id']],
  version: [['metadata', 'version'], ['version']],
  owner: [['spec', 'owner'], ['owner']],
} as const

/** `number`: it is not written as a text. */
type Found = { value: string; path: readonly string[]; number: boolean }

function find(document: JsonObject, what: keyof typeof paths): Found | undefined {
  for (const path of paths[what]) {
    const found = member(document, ...path)
    const value = text(found)
    if (value !== undefined) return { value, path, number: typeof found === 'number' }
  }
  return undefined
}

/** Reads a manifest, which is any mapping with a name. Members that a release will require are reported as warnings. */
export function readManifest(yaml: string): Manifest {
  const document = parseYaml(yaml)
  // Most manifests need no position.
  const positions = once(() => positionsIn(yaml))
  const name = find(document, 'name')
  if (name === undefined) {
    const message = 'A name is required (metadata.name, name, agent.name or id).'
    throw invalid([{ path: 'metadata.name', message, line: 1, column: 1 }])
  }
  refuseAddresses(document, positions)
  const version = find(document, 'version')
  const owner = find(document, 'owner')
  for (const [what, found] of Object.entries({ name, version }))
    if (found !== undefined && found.value.length > 100)
      throw invalid([issueAt(positions, found.path, `The ${what} can have up to 100 characters.`)])
  const incomplete = specIssues(document)
  return {
    document,
    digest: digestOf(document),
    name: name.value,
    version: version?.value,
    displayName: text(member(document, 'metadata', 'displayName')),
    owner: owner && {
      name: owner.value,
      unknown: issueAt(positions, owner.path, 'No active member has this e-mail address or username.'),
    },
    tools: operatorTools(document, positions),
    namesCourse: namesCourse(member(document, 'spec', 'governance', 'approvals')),
    stages: namedStages(document, positions),
    flaws: [...numberFlaws({ name, version }, yaml, positions), ...flawsIn(document, positions)].slice(0, mostIssues),
    incomplete: incomplete.slice(0, mostIssues).map((issue) => issuesInWords([issue])),
    warnings: [...incomplete, ...unknown(document), ...deniedSteps(document)]
      .slice(0, mostIssues)
      .map(({ at, ...issue }) => ({ ...issue, ...positions()(at) })),
  }
}

/** Errors or warnings of one manifest; a list can have one at each of its places. */
export const mostIssues = 50

/** The issues in the order of the text, with at most as many as are shown. */
export const inOrder = (issues: readonly Warning[]): Warning[] =>
  issues.slice(0, mostIssues).sort((a, b) => a.line - b.line || a.column - b.column)

type Positions = () => ReturnType<typeof positionsIn>

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Refuses unsafe addresses, which may contain a password. */
function refuseAddresses(document: JsonObject, positions: Positions): void {
  const issues = addressFlaws(document)
    .slice(0, mostIssues)
    .map(({ path, message }) => issueAt(positions, path, message))
  if (issues.length > 0) throw invalid(issues)
}

/**
 * What can't work in any execution: waits that can't be answered, references and conditions without a meaning, approvals of tools
 * that are not allowed, addresses with a port that is never called.
 */
const flawsIn = (document: JsonObject, positions: Positions): PlacedIssue[] => {
  const { spec } = document
  const inSpec = [...waitFlaws(spec), ...referenceFlaws(spec), ...toolListFlaws(spec), ...portFlaws(spec)]
  return [...inSpec.map(({ path, message }) => ({ path: ['spec', ...path], message })), ...nameFlaws(document)]
    .slice(0, mostIssues)
    .map(({ path, message }) => issueAt(positions, path, message))
}

/**
 * Names that don't do what they seem to. Merge keys are not part of YAML 1.2: what one was meant to bring in, such as
 * `requireApproval`, would be missing. A member named __proto__ would be shown, and left out of the calls.
 */
function* nameFlaws(
  value: JsonValue,
  path: readonly (string | number)[] = [],
): Generator<{ path: readonly (string | number)[]; message: string }> {
  if (Array.isArray(value)) for (const [index, inner] of value.entries()) yield* nameFlaws(inner, [...path, index])
  if (!isJsonObject(value)) return
  for (const [key, inner] of Object.entries(value))
    if (key === '<<')
      yield { path: [...path, key], message: 'Merge keys (<<) are not part of YAML 1.2. Write the members out.' }
    else if (key === '__proto__')
      yield { path: [...path, key], message: 'A member can’t be named __proto__: many programs drop it.' }
    else yield* nameFlaws(inner, [...path, key])
}

/** A name or version without quotes that is read as a number, which is written differently: 1.10 would be 1.1. */
function numberFlaws(
  texts: { name: Found; version: Found | undefined },
  yaml: string,
  positions: Positions,
): PlacedIssue[] {
  return Object.entries(texts).flatMap(([what, found]) => {
    if (found?.number !== true) return []
    const { line, column } = positions()(found.path)
    const [source = ''] =
      yaml
        .split('\n')
        [line - 1]?.slice(column - 1)
        .match(/^[^\s,\]}*]+/) ?? []
    if (source === '' || source === found.value) return []
    return [issueAt(positions, found.path, `Write the ${what} in quotes: as a number, ${source} is ${found.value}.`)]
  })
}

function operatorTools(document: JsonObject, positions: Positions): Manifest['tools'] {
  const tools = member(document, 'spec', 'tools')
  return (Array.isArray(tools) ? tools : [])
    .flatMap((entry, index) => {
      const server = member(entry, 'mcp', 'server')
      const allow = member(entry, 'allow')
      if (typeof server !== 'string' || member(entry, 'mcp', 'url') !== undefined || /^https?:/.test(server)) return []
      return (Array.isArray(allow) ? allow : []).flatMap((name, at) =>
        typeof name === 'string' ? [{ server, name, path: ['spec', 'tools', index, 'allow', at] }] : [],
      )
    })
    .slice(0, mostIssues)
    .map(({ server, name, path }) => ({
      server,
      name,
      unoffered: issueAt(positions, path, `The tool server ${server} does not offer a tool named ${name}.`),
    }))
}

/** Of the default group only if a quorum is named for it. */
function namedStages(document: JsonObject, positions: Positions): Manifest['stages'] {
  const at = ['spec', 'governance', 'approvals']
  const approvals = member(document, ...at)
  const stages = member(approvals, 'stages')
  const found = Array.isArray(stages)
    ? stages.map((stage, index) => ({ stage, path: [...at, 'stages', index] }))
    : [{ stage: approvals, path: at }]
  return found.slice(0, mostStages).flatMap(({ stage, path }) => {
    const named = member(stage, 'group')
    const quorum = member(stage, 'quorum')
    const group = named === undefined && typeof quorum === 'number' ? 'change-approvers' : named
    if (typeof group !== 'string') return []
    const message = `The approver group ${group} does not exist. A release needs it.`
    const missing = issueAt(positions, [...path, 'group'], message)
    const few = typeof quorum === 'number' ? issueAt(positions, [...path, 'quorum'], '') : missing
    return [{ group, quorum: typeof quorum === 'number' ? quorum : 1, missing, few }]
  })
}

const issueAt = (positions: Positions, path: readonly (string | number)[], message: string): PlacedIssue => ({
  path: path.join('.'),
  message,
  ...positions()(path),
})

/** An error with the first issue and its position as the message, and all issues in `issues`. */
export function invalid(issues: PlacedIssue[]): ApiError {
  const [first] = issues
  return new ApiError('invalid_manifest', `Line ${first?.line}, column ${first?.column}: ${first?.message}`, { issues })
}

function digestOf(document: JsonObject): string {
  try {
    return `sha256:${createHash('sha256').update(canonicalJson(document)).digest('hex')}`
  } catch (cause) {
    throw new ApiError('invalid_manifest', 'The manifest contains a value that cannot be stored exactly.', { cause })
  }
}

/** Other formats, which have neither, are stored as they are. */
const unknown = (document: JsonObject): Unplaced[] =>
  document.spec === undefined && document.metadata === undefined
    ? []
    : [...unknownMembers(document, [ManifestDocument])].map((at) =>
        warning(at, 'Unknown member. It is stored but has no effect.'),
      )

const warning = (at: readonly (string | number)[], message: string): Unplaced => ({ path: at.join('.'), message, at })

const deniedSteps = ({ spec }: JsonObject): Unplaced[] =>
  stepsWithoutTool(spec).map(({ path, message }) => warning(['spec', ...path], message))

const specIssues = (document: JsonObject): Unplaced[] => {
  const result = AgentSpec.safeParse(document.spec ?? {}, { error: issueMessage })
  return result.success
    ? []
    : result.error.issues.map(({ path, message }) => {
        const at = ['spec', ...path.map((part) => (typeof part === 'symbol' ? String(part) : part))]
        // The position is that of the object without the member, so that the message has to name it.
        return warning(at, message === required ? `${at.at(-1)} is required.` : message)
      })
}

/** The executable part, strictly validated. Throws `not_ready` (409) with everything that is missing or wrong. */
export function specOf(document: JsonObject): AgentSpec {
  const result = AgentSpec.safeParse(document.spec ?? {}, { error: issueMessage })
  if (result.success) return result.data
  const issues = specIssues(document)
  throw new ApiError('not_ready', `The manifest is not complete: ${issuesInWords(issues)}`, {
    issues: issues.map(({ path, message }) => ({ path, message })),
  })
}

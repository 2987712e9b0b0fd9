import { createHash } from 'node:crypto'
import { ApiError, type Issue } from '#lib/errors.ts'
import { canonicalJson } from '#lib/jcs.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import { waitFlaws } from '#lib/rules/waits.ts'
import { AgentSpec, knownKeys } from '#lib/schemas/manifest.ts'
import { parseYaml } from './parse-yaml.ts'
import { positionOf } from './yaml-position.ts'

export type Manifest = {
  /** The document as it was sent, unknown members included. */
  document: JsonObject
  /** `sha256:` of the document's JCS form: comments and layout don't count. */
  digest: string
  name: string
  version: string | undefined
  displayName: string | undefined
  owner: string | undefined
  warnings: Issue[]
}

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

/** Reads a manifest. Any mapping with a name is one; what a release will miss comes back as warnings. */
export function readManifest(yaml: string): Manifest {
  const document = parseYaml(yaml)
  const name = [
    member(document, 'metadata', 'name'),
    member(document, 'name'),
    member(document, 'agent', 'name'),
    member(document, 'id'),
  ]
    .map(text)
    .find((candidate) => candidate !== undefined)
  if (name === undefined)
    throw new ApiError(
      'invalid_manifest',
      'Line 1, column 1: The manifest has no name (metadata.name, name, agent.name or id).',
      {
        issues: [{ path: 'metadata.name', message: 'A name is required.', line: 1, column: 1 }],
      },
    )
  refuseWaits(document, yaml)
  const version = text(member(document, 'metadata', 'version')) ?? text(member(document, 'version'))
  for (const [what, value] of Object.entries({ name, version }))
    if (value !== undefined && value.length > 100)
      throw new ApiError('invalid_manifest', `The ${what} has more than 100 characters.`)
  return {
    document,
    digest: digestOf(document),
    name,
    version,
    displayName: text(member(document, 'metadata', 'displayName')),
    owner: text(member(document, 'spec', 'owner')) ?? text(member(document, 'owner')),
    warnings: [...unknownKeys(document), ...specIssues(document)],
  }
}

/** A wait that can't be answered would park an execution until it expires: it is refused here, not warned of. */
function refuseWaits(document: JsonObject, yaml: string): void {
  const issues = waitFlaws(document.spec).map(({ path, message }) => ({
    path: ['spec', ...path].join('.'),
    message,
    ...positionOf(yaml, ['spec', ...path]),
  }))
  const [first] = issues
  if (first !== undefined)
    throw new ApiError('invalid_manifest', `Line ${first.line}, column ${first.column}: ${first.message}`, { issues })
}

function digestOf(document: JsonObject): string {
  try {
    return `sha256:${createHash('sha256').update(canonicalJson(document)).digest('hex')}`
  } catch (cause) {
    throw new ApiError('invalid_manifest', 'The manifest holds a value that can not be kept exactly.', { cause })
  }
}

function unknownKeys(document: JsonObject): Issue[] {
  const unknown = (at: JsonValue | undefined, path: string, known: readonly string[]) =>
    isJsonObject(at)
      ? Object.keys(at)
          .filter((key) => !known.includes(key))
          .map((key) => ({
            path: path === '' ? key : `${path}.${key}`,
            message: 'Unknown member; it is kept and has no effect.',
          }))
      : []
  const native = document.spec !== undefined || document.metadata !== undefined
  return native
    ? [
        ...unknown(document, '', knownKeys.top),
        ...unknown(document.metadata, 'metadata', knownKeys.metadata),
        ...unknown(document.spec, 'spec', knownKeys.spec),
      ]
    : []
}

const specIssues = (document: JsonObject): Issue[] => {
  const result = AgentSpec.safeParse(document.spec ?? {})
  return result.success
    ? []
    : result.error.issues.map((issue) => ({
        path: ['spec', ...issue.path.map(String)].join('.'),
        message: issue.message,
      }))
}

/** The part that runs, strictly. Throws `not_ready` (409) with everything that is missing or wrong. */
export function specOf(document: JsonObject): AgentSpec {
  const result = AgentSpec.safeParse(document.spec ?? {})
  if (result.success) return result.data
  const issues = specIssues(document)
  throw new ApiError(
    'not_ready',
    `The manifest can't run yet: ${issues.map((issue) => `${issue.path}: ${issue.message}`).join('; ')}`,
    {
      issues,
    },
  )
}

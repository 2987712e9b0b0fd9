import * as t from '#components/texts/palette/en.ts'
import {
  agentPath,
  approvalPath,
  auditRecordPath,
  evidenceExportPath,
  executionPath,
  policyPath,
  tracePath,
} from '#lib/paths.ts'
import type { Permission } from '#lib/permissions.ts'
import type { Found, FoundKind } from '#lib/schemas/lists/search.ts'
import { placesOf } from './places.ts'
import { keysOf, offeredActions } from './registry.ts'

/** A line of the palette. */
export type Choice = {
  id: string
  title: string
  note?: string
  /** When what was found began. */
  at?: string
  keys?: string[]
  blocked?: string | undefined
  found?: true
} & ({ href: string } | { run: () => void })

export type Group = { title: string; choices: Choice[] }

type Context = { tenant: string; can: (permission: Permission) => boolean; onSignOut: (() => void) | undefined }

/** The commands and pages whose words begin with those of the text, in its order; all of them without a text. */
export function choicesFor(text: string, { tenant, can, onSignOut }: Context): Group[] {
  const here: Choice[] = offeredActions()
    .filter(({ keyOnly }) => keyOnly !== true)
    .map(({ title, key, blocked, run }) => ({
      id: `here ${title}`,
      title,
      blocked,
      run,
      ...(key === undefined ? {} : { keys: keysOf(key) }),
    }))
  const places: Choice[] = placesOf(tenant)
    .filter(({ permission }) => permission === undefined || can(permission))
    .map(({ title, href }) => ({ id: `place ${title}`, title, href }))
  const you: Choice[] = onSignOut === undefined ? [] : [{ id: 'you sign out', title: t.signOut, run: onSignOut }]
  return [
    { title: t.thisPage, choices: here },
    { title: t.console, choices: [...places, ...you] },
  ].map(({ title, choices }) => ({ title, choices: choices.filter((choice) => says(choice.title, text)) }))
}

const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}?]+/gu) ?? []

/** Whether each word of the text begins a word of the title. */
export function says(title: string, text: string): boolean {
  const said = wordsIn(title)
  return wordsIn(text).every((word) => said.some((one) => one.startsWith(word)))
}

const kinds: Readonly<Record<FoundKind, { title: string; path: (tenant: string, id: string) => string }>> = {
  approval: { title: t.approvals, path: approvalPath },
  execution: { title: t.executions, path: executionPath },
  agent: { title: t.agents, path: agentPath },
  policy: { title: t.policies, path: policyPath },
  trace: { title: t.traces, path: tracePath },
  export: { title: t.evidence, path: evidenceExportPath },
  record: { title: t.audit, path: auditRecordPath },
}

/** What the server found, by kind. */
export const foundChoices = (tenant: string, items: readonly Found[]): Group[] =>
  Object.entries(kinds).map(([kind, { title, path }]) => ({
    title,
    choices: items
      .filter((one) => one.kind === kind)
      .map(({ id, title: name, note, status, at }) => ({
        id: `${kind} ${id}`,
        title: name,
        note: [note, status === null ? null : t.stateOf({ status })].filter((one) => one !== null).join(', '),
        at,
        found: true,
        href: path(tenant, id),
      })),
  }))

import type { RiskTier } from '#lib/rules/risk.ts'

/** `staged`: the people of the stage before have approved. `overdue`: escalated by itself. */
export type Occasion = 'requested' | 'staged' | 'escalated' | 'overdue' | 'reminded'

/** What happened to a request that a person made, or asked about. */
export type News = 'asked' | 'answered' | 'changes_requested'

/** The program that asks in someone’s name. */
export type Asker = { kind: 'named' | 'client' | 'connection_token' | 'mcp'; name: string }

type Text = { subject: string; body: string }
/** `until`: a time as it is written in this language. */
type Link = { tenant: string; by: string; url: string; until: string }

/** What mails say. Names are given as one line. */
export type MailWords = {
  approval: {
    subjects: Readonly<Record<Occasion, string>>
    whyNow: Readonly<Record<Occasion, string | undefined>>
    agent(name: string): string
    /** `program`: as it names itself, or its address; `mcp`: unknown. */
    requestedBy(name: string, program?: Asker): string
    environment(name: string): string
    risk: Readonly<Record<RiskTier, string>>
    decideBy(time: string): string
    review: string
    because(tenant: string): string
    becauseFor(tenant: string, person: string): string
  }
  news: Readonly<Record<News, { subject: string; line: string; because(tenant: string): string }>>
  /** Above the address of a request. */
  open: string
  passwordChanged(tenant: string): Text
  invited(about: Link & { username: string }): Text
  /** `passkeysRemoved`: their names in one line; '' for none. */
  reset(about: Link & { passkeysRemoved: string }): Text
  waiting(about: { agent: string; input: string; until: string; url: string }): Text
}

import type { PasswordFlaw } from '#lib/rules/password.ts'
import type { Html } from '#server/identity/pages/html.ts'

type Problem = { title: string; text: string }

/** What the pages of a realm say: sign-in, passwords, links, consent, and problems. `name` is the organisation's. */
export type RealmWords = {
  poweredBy: string
  withCountersign(name: string): string
  username: string
  newPassword: string
  passwordHint(characters: number): string
  repeatPassword: string
  signIn: {
    title(name: string): string
    commandLine: string
    password: string
    submit: string
    change: string
    notYours: string
    another: string
    wrong: string
    busy: string
    tooMany(minutes: number): string
    inactive(name: string): string
  }
  change: {
    title(name: string): string
    consequence: string
    current: string
    submit: string
    forgotten(name: string): string
    tooMany: string
    wrong: string
    same: string
    busy: string
    doneTitle: string
    done(name: string): string
  }
  link: {
    title(name: string): string
    whose(person: string): string
    submit: string
    doneTitle: string
    done(name: string, username: string): Html
    deadTitle: string
    dead: string
    instead(signIn: string, name: string): Html
  }
  passwords: Readonly<Record<PasswordFlaw | 'common' | 'different', string>>
  consent: {
    title: string
    asks(program: Html | undefined, person: string): Html
    publisher: string
    unknownPublisher: string
    returnsTo: string
    thisComputer: string
    agent: string
    toolsOf(server: Html): Html
    consequence: string
    anyProgram: string
    allow: string
    deny: string
    nothing: Problem
  }
  signOut: {
    leaving: string
    question: string
    consequence(name: string): string
    submit(name: string): string
    stay: string
    doneTitle: string
    again: string
  }
  problems: {
    notAccepted: string
    onlyGetAndPost: string
    otherSite: string
    expired: Problem
    notCompleted: string
    failed: string
    invalidRequest: string
    startAgain: string
    code(code: string): string
  }
}

import type { GetICUArgs } from '@schummar/icu-type-parser'
import compile from 'icu-minify/compile'
import type { ReactNode } from 'react'
import type { InProgress } from '#components/ui/text/in-progress.ts'
import { message } from './message.ts'

type Args<Message extends string> = GetICUArgs<Message, { ICUArgument: string | number; ICUNumberArgument: number }>

/** `<link>…</link>` in a message is drawn by the function of its name. */
type Tags<Message extends string> =
  Message extends `${infer Before}<${infer Name}>${infer Inside}</${string}>${infer After}`
    ? Record<Name, (content: ReactNode) => ReactNode> & Tags<`${Before}${Inside}${After}`>
    : unknown

type Flat<T> = { [Key in keyof T]: T[Key] }

/** What code reads of an English message in ICU MessageFormat. */
export type Text<Message extends string> = Message extends `${string}<${string}>${string}</${string}`
  ? (values: Flat<Args<Message> & Tags<Message>>) => ReactNode
  : Message extends `${string}{${string}`
    ? (values: Flat<Args<Message>>) => Message extends `${string}…` ? InProgress : string
    : Message extends `${string}…`
      ? InProgress
      : string

/** The same messages in another language. A test compares their arguments with those of the English ones. */
export type Translation<English> = { readonly [Name in keyof English]: string }

const sources = new WeakMap<object, string>()

/** The message behind a text, for the build and for tests. A text without arguments is its own message. */
export const sourceOf = (text: unknown): string =>
  typeof text === 'string' ? text : (sources.get(text as object) ?? '')

/**
 * A text in English, or a function of its arguments. A build replaces the module by the compiled messages of the page's language
 * (cli/console/texts/); this code runs in tests and in development only, because it contains the parser.
 */
export function text<const Message extends string>(source: Message): Text<Message> {
  const compiled = compile(source)
  if (typeof compiled === 'string') return compiled as never
  const shown = message(compiled, 'en')
  sources.set(shown, source)
  return shown as never
}

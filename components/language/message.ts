import format, { type CompiledMessage, type FormatValues } from 'icu-minify/format'
import { createElement, Fragment, type ReactNode } from 'react'
import { dateFormat, numberFormat, pluralRules } from '#lib/formatters.ts'

const formatters = {
  getDateTimeFormat: dateFormat,
  getNumberFormat: numberFormat,
  getPluralRules: pluralRules,
}

type Values = FormatValues<ReactNode>

/** A compiled message as a function of its arguments: text, or an element if it contains others. */
export const message =
  (compiled: CompiledMessage, locale: string) =>
  (values: Values): ReactNode =>
    inOne(format<ReactNode>(compiled, locale, inOneTag(values), { formatters }))

/** The content of a tag as one node: a list of strings and elements would need keys. */
const inOneTag = (values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'function' ? (chunks: ReactNode[]) => value([inOne(chunks)]) : value,
    ]),
  )

const inOne = (parts: ReactNode): ReactNode =>
  !Array.isArray(parts) ? parts : parts.length === 1 ? parts[0] : createElement(Fragment, null, ...parts)

import { text } from '#components/language/text.ts'

// Why a value is not what a manifest’s input schema describes.

export const problem = text(
  '{rule, select, required {Required.} type {{expected, select, string {Must be a text.} number {Must be a number.} integer {Must be a whole number.} boolean {Must be true or false.} array {Must be a list.} other {Must be an object.}}} one_of {Must be one of {expected}.} min_length {Must have at least {expected} characters.} max_length {Must have up to {expected} characters.} minimum {Must be at least {expected}.} maximum {Must be at most {expected}.} other {{expected, select, date {Must be a date such as 2026-11-23.} date_time {Must be a time with its zone, such as 2026-11-23T09:00:00Z.} email {Must be an e-mail address.} uri {Must be an address such as https://example.com.} other {Must be a number such as 59.90.}}}}',
)

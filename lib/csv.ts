/** A number, which a spreadsheet may read as one although it begins with a sign. */
const number = /^-?\d+(\.\d+)?$/

/**
 * RFC 4180: fields in quotes where they need them, lines end with CRLF. A field that a spreadsheet would read as a formula gets an
 * apostrophe in front, so that opening the file runs nothing (OWASP, CSV injection).
 */
export const toCsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map((field) => quoted(harmless(field))).join(',')}\r\n`).join('')

const harmless = (field: string): string => (/^[=+\-@\t\r\n]/.test(field) && !number.test(field) ? `'${field}` : field)

const quoted = (field: string): string => (/[",\r\n']/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)

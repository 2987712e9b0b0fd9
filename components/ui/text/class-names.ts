/** Joins what is a string and skips what is not, for conditional classes. */
export function classNames(...names: (string | false | undefined)[]): string {
  return names.filter((name) => typeof name === 'string' && name !== '').join(' ')
}

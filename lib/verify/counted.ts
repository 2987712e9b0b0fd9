/** `1 row is here`, `2 rows are here`: the texts after the number. */
export const counted = (count: number, one: string, more: string): string => `${count} ${count === 1 ? one : more}`

/** `The only row is here`, `All 2 rows are here`. */
export const all = (count: number, one: string, more: string): string =>
  count === 1 ? `The only ${one}` : `All ${counted(count, one, more)}`

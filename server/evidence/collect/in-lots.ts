const together = 200

/** Some rows at a time, for statements about several of them. */
export async function* inLots<Row>(rows: AsyncIterable<Row>): AsyncGenerator<Row[]> {
  let lot: Row[] = []
  for await (const row of rows) {
    lot.push(row)
    if (lot.length < together) continue
    yield lot
    lot = []
  }
  if (lot.length > 0) yield lot
}

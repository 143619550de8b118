import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { LedgerUnavailable } from '../../../src/ledger/ledger.ts'
import { openLedger, temporaryFolder } from './open.ts'

const maxBytes = 4_194_304
/** The size of one write. Each write waits for the disk. */
const valueBytes = 400_000

/** Other builds and versions of SQLite make files with other page sizes. */
function makeFile(file: string, pageBytes: number): void {
  using db = new DatabaseSync(file)
  db.exec(`PRAGMA page_size = ${pageBytes}; CREATE TABLE some (a); DROP TABLE some`)
  expect(db.prepare('PRAGMA page_size').get()).toEqual({ page_size: pageBytes })
}

test.each([512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 65_536])(
  'a ledger file with pages of %i bytes grows as far as its limit, and not beyond',
  async (pageBytes) => {
    await using folder = await temporaryFolder()
    makeFile(folder.file, pageBytes)
    {
      await using opened = await openLedger({ file: folder.file, maxBytes })
      const value = 'x'.repeat(valueBytes)
      let refused: unknown
      for (let each = 0; each < 100 && refused === undefined; each++)
        await opened.ledger.setSetting('party', `key ${each}`, value).catch((error: unknown) => {
          refused = error
        })
      expect(refused).toBeInstanceOf(LedgerUnavailable)
    }
    const { size } = statSync(folder.file)
    expect(size).toBeLessThanOrEqual(maxBytes)
    expect(size).toBeGreaterThan(maxBytes - 1.5 * valueBytes - 2 * pageBytes)
  },
)

test('a limit below one page lets no ledger file grow without end', async () => {
  await using folder = await temporaryFolder()
  await expect(openLedger({ file: folder.file, maxBytes: 100 })).rejects.toThrow(
    /^There is no room for the ledger file /,
  )
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteMirrorStore } from '../../src/mirror/store.sqlite.ts'
import type { MirrorContent, MirrorStore } from '../../src/mirror/store.ts'

export interface MirrorFolder extends AsyncDisposable {
  readonly folder: string
  readonly file: string
}

export async function mirrorFolder(): Promise<MirrorFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'mirror-'))
  return {
    folder,
    file: join(folder, 'mirror.db'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

export async function withStore<T>(file: string, work: (store: MirrorStore) => Promise<T>): Promise<T> {
  await using store = openSqliteMirrorStore({ file, network: 'devnet' })
  return await work(store)
}

export function loadFrom(file: string): Promise<MirrorContent | undefined> {
  return withStore(file, (store) => store.load())
}

export function writeTo(file: string, content: MirrorContent): Promise<void> {
  return withStore(file, (store) => store.replace(content))
}

import { openReads } from '../ledger/participant/open.ts'
import { updateServiceContract } from './update-service.contract.ts'

for (const version of ['3.4', '3.5', '3.6'] as const) {
  const open = async () => {
    const opened = await openReads({ version, prefix: version === '3.5' ? '/participant' : '' })
    const { fake, party } = opened
    return {
      ...opened,
      grow: async (count: number) => fake.grow(party, count),
      skip: async (count: number) => fake.skip(count),
    }
  }
  updateServiceContract(`a participant of Canton ${version}`, open, { pages: version !== '3.4' })
}

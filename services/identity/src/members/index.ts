import { addMember } from './add-member.ts';
import { changeMember } from './change-member.ts';
import { listMembers } from './list-members.ts';
import { removeMember } from './remove-member.ts';

export const memberUseCases = [addMember, ...listMembers, changeMember, ...removeMember];

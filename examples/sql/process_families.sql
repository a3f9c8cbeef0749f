-- Who started whom?
SELECT parent.pid AS parent_pid, parent.name AS parent, child.pid, child.name, child.role
FROM processes AS child
LEFT JOIN processes AS parent ON parent.pid = child.parent_pid
ORDER BY parent.pid, child.pid;

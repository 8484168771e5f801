from warehouse.stock import reserve

reserve(3)

"""stock.py - the five tools of examples/stock.cpp with FastMCP, written from its documentation.

No test runs it: the tests have no Python.
"""

from typing import Annotated, Literal

from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from pydantic import BaseModel, EmailStr, Field

Category = Literal["kitchen", "office", "garden"]


class Product(BaseModel):
    name: str = Field(description="Its name")
    kind: Category = Field(description="Where it belongs")
    price: float = Field(description="In euros")


STOCK = [
    Product(name="Mug", kind="kitchen", price=7.5),
    Product(name="Mug rack", kind="kitchen", price=36),
    Product(name="Stapler", kind="office", price=12.25),
    Product(name="Watering can", kind="garden", price=19),
]


def find(name: str) -> Product | None:
    return next((one for one in STOCK if one.name == name), None)


mcp = FastMCP("stock", version="1.0.0")

# ---- add ----


class Sum(BaseModel):
    sum: float = Field(description="Both together")


@mcp.tool(annotations={"readOnlyHint": True})
def add(
    a: Annotated[float, Field(description="First number")],
    b: Annotated[float, Field(description="Second number")],
) -> Sum:
    """Adds two numbers"""
    return Sum(sum=a + b)


# ---- search ----


class Found(BaseModel):
    products: list[Product] = Field(description="What was found")


@mcp.tool(annotations={"readOnlyHint": True})
def search(
    query: Annotated[str, Field(description="Part of a name, as it is written", min_length=1)],
    kind: Annotated[Category | None, Field(description="Only of this category")] = None,
    limit: Annotated[int, Field(description="At most so many", ge=1, le=50)] = 10,
) -> Found:
    """Finds products by their name"""
    hits = [one for one in STOCK if query in one.name and kind in (None, one.kind)]
    return Found(products=hits[:limit])


# ---- names ----


class NameList(BaseModel):
    names: list[str] = Field(description="Of every product")


@mcp.tool(annotations={"readOnlyHint": True})
def names() -> NameList:
    """Lists the names of all products"""
    return NameList(names=[one.name for one in STOCK])


# ---- order ----


class Customer(BaseModel):
    name: str = Field(description="Who orders", min_length=1)
    email: EmailStr = Field(description="Where the bill goes")


class Line(BaseModel):
    product: str = Field(description="A product's name")
    count: int = Field(description="How many of it", ge=1, le=100)


class Receipt(BaseModel):
    buyer: str = Field(description="Who it is for")
    pieces: int = Field(description="How many there are")
    total: float = Field(description="In euros")


@mcp.tool
def order(
    buyer: Annotated[Customer, Field(description="Who it is for")],
    lines: Annotated[list[Line], Field(description="What is ordered", min_length=1)],
    note: Annotated[str | None, Field(description="For whoever packs it")] = None,
) -> Receipt:
    """Orders products"""
    receipt = Receipt(buyer=buyer.name, pieces=0, total=0)
    for line in lines:
        product = find(line.product)
        if not product:
            raise ToolError(f"There is no product named {line.product}")
        receipt.pieces += line.count
        receipt.total += line.count * product.price
    return receipt


# ---- remove ----


@mcp.tool(annotations={"destructiveHint": True})
def remove(name: Annotated[str, Field(description="The product's name")]) -> str:
    """Removes a product"""
    if not find(name):
        raise ToolError(f"There is no product named {name}")
    raise ToolError("The stock is read-only")


if __name__ == "__main__":
    mcp.run()
